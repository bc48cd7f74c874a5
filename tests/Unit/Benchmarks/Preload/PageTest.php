<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks\Preload;

use DOMDocument;
use Headroom\Benchmarks\Preload\Pages;
use Headroom\Benchmarks\Preload\Report\Page;
use Headroom\Benchmarks\Preload\Report\UnableToReadResults;
use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Support\PreloadResults;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class PageTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('page');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function the_articles_row_stands_beside_ours(): void
    {
        $page = self::words($this->page(PreloadResults::whole()));

        self::assertStringContainsString('plain|No preload 21.78/s, 229 ms|1 ×|+40.0 % +38.0 to +43.0 %|', $page);
        self::assertStringContainsString('vendors|Refined preload + vendors 26.54/s, 188 ms, 1.22 ×|1.93 × 1.91 to 1.96|-20.0 % -22.0 to -17.0 %|', $page);
        self::assertStringContainsString('hot|Hot files preload 25.16/s, 198 ms, 1.16 ×|', $page);
        self::assertStringContainsString('-o -a|–|none seen 1.91 to 1.96|1.00 ms|1.00 ms|1.00 ms|', $page);
    }

    /** As the article prints them; the ratios are made of its requests per second. */
    #[Test]
    public function the_articles_figures_are_the_articles(): void
    {
        preg_match_all('~\|([^|]+) (\d+\.\d+)/s, (\d+) ms(?:, (\d\.\d+) ×)?\|~', self::words($this->page(PreloadResults::whole())), $rows, PREG_SET_ORDER);

        self::assertSame([
            ['No preload', '21.78', '229'],
            ['Naive preload', '25.03', '199', '1.15'],
            ['Refined preload', '25.22', '198', '1.16'],
            ['Refined preload + vendors', '26.54', '188', '1.22'],
            ['Hot files preload', '25.16', '198', '1.16'],
            ['Hot files Laravel preload', '25.03', '199', '1.15'],
        ], array_map(static fn (array $row): array => array_slice($row, 1), $rows));
    }

    #[Test]
    public function a_difference_that_was_not_seen_is_no_figure(): void
    {
        $results = PreloadResults::whole()->with('findings/7/costs/GET ~pages~json/seen', false)->with('findings/7/rates_to_plain/GET ~pages~blade/seen', false)->with('findings/7/first_request_seen', false);
        [$before, $after] = [$this->page(PreloadResults::whole()), $this->page($results)];

        self::assertStringContainsString('hot|Hot files preload 25.16/s, 198 ms, 1.16 ×|none seen 1.91 to 1.96|none seen -22.0 to -17.0 %|-20.0 %', self::words($after));
        self::assertStringContainsString('hot|600|601|15.1|28.8 25.9 to 34.6|519 467 to 623|79.5 71.6 to 95.4|none seen 0.39 to 0.44|', self::words($after));
        self::assertStringContainsString('<title>hot: none seen, quartiles', $after);
        self::assertSame(1 + substr_count($before, 'class="series x second"'), substr_count($after, 'class="series x second"'));
    }

    #[Test]
    public function a_page_that_answers_otherwise_costs_nothing_that_could_be_compared(): void
    {
        [$before, $after] = [$this->page(PreloadResults::whole()), $this->page(PreloadResults::whole()->with('findings/9/costs/GET ~pages~posts/answers_otherwise', true))];

        self::assertStringContainsString('article|–|1.93 × 1.91 to 1.96|-20.0 % -22.0 to -17.0 %|-20.0 % -22.0 to -17.0 %|another answer|', self::words($after));
        self::assertSame([21, 20], [substr_count($before, 'class="marker"'), substr_count($after, 'class="marker"')]);
    }

    #[Test]
    public function a_mark_moves_with_its_figure(): void
    {
        $marks = fn (PreloadResults $results): array => preg_match_all('/class="(?:line|marker)" d="([^"]+)"/', $this->page($results), $m) > 0 ? $m[1] : [];
        $whole = $marks(PreloadResults::whole());

        self::assertCount(1, array_diff_assoc($whole, $marks(PreloadResults::whole()->with('findings/7/costs/GET ~pages~json/cpu_ratio/ratio', 0.81))));
        self::assertCount(1, array_diff_assoc($whole, $marks(PreloadResults::whole()->with('findings/7/costs/GET ~pages~json/cpu_ratio/p75', 0.85))));
    }

    #[Test]
    public function what_breaks_under_the_articles_list_is_named_and_traps_are_called_traps(): void
    {
        $page = $this->page(PreloadResults::whole());

        self::assertStringContainsString('Under the article&apos;s own list other answers come from these, of which all were made as traps:', $page);
        self::assertStringContainsString('<code>GET /pages/alias</code> (made as a trap): a class by its alias', $page);
        self::assertStringContainsString('Under the lists of headroom:preload no page answers otherwise.', $page);
        self::assertStringContainsString('article|3|2 2 made as traps|–|–|', self::words($page));
        self::assertStringContainsString('hot|0|0|11|8.7 s|', self::words($page));
        self::assertStringNotContainsString('class="missed"', $page);
    }

    #[Test]
    public function a_page_that_was_no_trap_is_told_apart(): void
    {
        $page = $this->page(PreloadResults::whole()->with('findings/9/pages_changed', ['GET /pages/alias', 'GET /pages/posts']));

        self::assertStringContainsString('of which 1 were not made as traps:', $page);
        self::assertStringContainsString('<code>GET /pages/posts</code> (no trap)', $page);
        self::assertStringContainsString('article|3|2 1 made as traps|', self::words($page));
    }

    #[Test]
    public function a_list_of_ours_that_breaks_a_page_is_said_as_loud(): void
    {
        $page = $this->page(PreloadResults::whole()->with('findings/7/pages_changed', ['GET /pages/mail']));

        self::assertStringContainsString('<section id="breaks" class="missed">', $page);
        self::assertStringContainsString('Under hot other answers come from these', $page);
        self::assertStringNotContainsString('no page answers otherwise', $page);
    }

    #[Test]
    public function what_was_not_measured_is_said_and_not_left_out(): void
    {
        $page = $this->page(PreloadResults::whole()->without('article')->with('refused', ['article' => 'PHP-FPM ended with 254.']), isQuick: true);

        self::assertStringContainsString('article|–|not measured|not measured|not measured|not measured|', self::words($page));
        self::assertStringContainsString('article was not measured: <code>PHP-FPM ended with 254.</code>', $page);
        self::assertStringContainsString('its figures are no results', $page);
        self::assertStringNotContainsString('its figures are no results', $this->page(PreloadResults::whole()));
    }

    #[Test]
    public function every_trap_of_the_workbench_is_explained(): void
    {
        $page = $this->page(PreloadResults::whole()->with('findings/9/pages_changed', Pages::TRAPS));

        self::assertSame(count(Pages::TRAPS), substr_count($page, '(made as a trap): '));
    }

    #[Test]
    public function whatever_the_results_say_is_text_and_asks_nobody_for_anything(): void
    {
        $evil = '</style><script src="https://example.com/x"></script><img src=x>';
        $page = $this->page(PreloadResults::whole()->with('refused', [$evil => $evil])->with('ini', [$evil => $evil])->with('findings/7/variant', $evil)->with('findings/9/pages_changed', [$evil]), machine: ['commit' => $evil, 'cpu' => $evil]);

        self::assertStringNotContainsString('<script', $page);
        self::assertStringNotContainsString('<img', $page);
        self::assertStringContainsString('&lt;script', $page);
        self::assertStringContainsString('default-src &apos;none&apos;', $page);
    }

    #[Test]
    public function elements_are_closed_and_ids_unique(): void
    {
        $page = $this->page(PreloadResults::whole());
        $document = new DOMDocument;
        self::assertTrue($document->loadXML((string) preg_replace(['/^<!doctype html>\n/', '/<(meta|link)([^>]*)>/', '/<style>.*<\/style>/s'], ['', '<$1$2/>', ''], $page)));
        preg_match_all('/\sid="([^"]+)"/', $page, $ids);
        preg_match_all('/aria-labelledby="([^"]+)"/', $page, $named);

        self::assertSame($ids[1], array_unique($ids[1]));
        self::assertSame([], array_diff(explode(' ', implode(' ', $named[1])), $ids[1]));
    }

    #[Test]
    #[TestWith(['', 'is not what make bench-preload writes'])]
    #[TestWith(['[]', 'is not what make bench-preload writes'])]
    #[TestWith(['{"experiment": "collector", "parts": {"strategies": {}}}', 'is not what make bench-preload writes'])]
    #[TestWith(['{"experiment": "preload", "parts": {"strategies": {}}}', 'strategies/figures in the results is no table'])]
    #[TestWith(['{"experiment": "preload", "parts": {"strategies": {"figures": {"findings": []}}}}', 'strategies/figures/findings in the results is no list of variants'])]
    public function what_is_no_results_file_is_named_and_no_page_is_made(string $json, string $words): void
    {
        $this->refuses($json, $words);
    }

    #[Test]
    #[TestWith(['findings/7/costs/GET ~pages~json/cpu_ratio/ratio', null, 'findings/7/costs/GET /pages/json/cpu_ratio/ratio in the results is no number'])]
    #[TestWith(['findings/7/preload_bytes', -1, 'findings/7/preload_bytes in the results is no number'])]
    #[TestWith(['findings/7/start_ms', 519, 'findings/7/start_ms in the results is no table'])]
    #[TestWith(['findings/7/first_request_seen', 'yes', 'findings/7/first_request_seen in the results is no true or false'])]
    public function a_figure_that_is_not_there_is_named_and_never_taken_for_0(string $path, mixed $value, string $words): void
    {
        $this->refuses(PreloadResults::whole()->with($path, $value)->json(), "strategies/figures/{$words}");
    }

    private function refuses(string $json, string $words): void
    {
        $file = $this->directory->write('other.json', $json);

        try {
            Page::write($file);
            self::fail('It was taken.');
        } catch (UnableToReadResults $e) {
            self::assertStringContainsString($words, $e->getMessage());
        }

        self::assertFileDoesNotExist($this->directory->file('other.html'));
    }

    /** @param array<string, mixed> $machine */
    private function page(PreloadResults $results, bool $isQuick = false, array $machine = []): string
    {
        return (string) file_get_contents(Page::write($this->directory->write('preload.json', $results->json($isQuick, $machine))));
    }

    /** The text of the page, with | behind each cell. */
    private static function words(string $page): string
    {
        return strtr(html_entity_decode(strip_tags((string) preg_replace('~</t[hd]>~', '$0|', $page)), ENT_QUOTES | ENT_HTML5), ["\u{a0}" => ' ']);
    }
}
