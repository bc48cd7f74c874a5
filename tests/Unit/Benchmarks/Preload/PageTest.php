<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks\Preload;

use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\Preload\Pages;
use Headroom\Benchmarks\Preload\Report\Page;
use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Support\PreloadResults;
use Headroom\Tests\Support\ReportBlocks;
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

        self::assertStringContainsString('plain|No preload 21.78/s, 229 ms|1.00x|+40.0 % +38.0 to +43.0 %|', $page);
        self::assertStringContainsString('vendors|Refined preload + vendors 26.54/s, 188 ms, 1.22x|1.93x 1.91 to 1.96|-20.0 % -22.0 to -17.0 %|', $page);
        self::assertStringContainsString('hot|Hot files preload 25.16/s, 198 ms, 1.16x|', $page);
        self::assertStringContainsString('-o -a|–|none seen 1.91 to 1.96|1.00 ms|1.00 ms|1.00 ms|', $page);
    }

    /** As the article prints them; the ratios are made of its requests per second. */
    #[Test]
    public function the_articles_figures_are_the_articles(): void
    {
        preg_match_all('~\|([^|]+) (\d+\.\d+)/s, (\d+) ms(?:, (\d\.\d+)x)?\|~', self::words($this->page(PreloadResults::whole())), $rows, PREG_SET_ORDER);

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

        self::assertStringContainsString('hot|Hot files preload 25.16/s, 198 ms, 1.16x|none seen 1.91 to 1.96|none seen -22.0 to -17.0 %|-20.0 %', self::words($after));
        self::assertStringContainsString('hot|600|601|15.1|28.8 25.9 to 34.6|519 467 to 623|79.5 71.6 to 95.4|none seen 0.39 to 0.44|', self::words($after));
        self::assertSame([], array_diff(['hot: none seen'], explode('; ', self::label($after, 'cpu-get-pages-json'))));
        self::assertSame([1, 2], [self::faint($before), self::faint($after)]);
        self::assertCount(3, array_diff_key(ReportBlocks::of($after)->meant('quiet'), ReportBlocks::of($before)->meant('quiet')));
        self::assertSame([1.93, null], [self::rates($before)['hot'], self::rates($after)['hot']]);
    }

    #[Test]
    public function a_page_that_answers_otherwise_costs_nothing_that_could_be_compared(): void
    {
        [$before, $after] = [$this->page(PreloadResults::whole()), $this->page(PreloadResults::whole()->with('findings/9/costs/GET ~pages~posts/answers_otherwise', true))];

        self::assertStringContainsString('article|–|1.93x 1.91 to 1.96|-20.0 % -22.0 to -17.0 %|-20.0 % -22.0 to -17.0 %|another answer|', self::words($after));
        self::assertSame([7, 6], [count(self::drawn($before, 'cpu-get-pages-posts')), count(self::drawn($after, 'cpu-get-pages-posts'))]);
    }

    #[Test]
    public function a_mark_moves_with_its_figure(): void
    {
        $drawn = fn (PreloadResults $results): array => self::drawn($this->page($results), 'cpu-get-pages-json');
        $whole = $drawn(PreloadResults::whole());
        [$ratio, $quartile] = [$drawn(PreloadResults::whole()->with('findings/7/costs/GET ~pages~json/cpu_ratio/ratio', 0.81)), $drawn(PreloadResults::whole()->with('findings/7/costs/GET ~pages~json/cpu_ratio/p75', 0.85))];

        self::assertEqualsWithDelta([-22.0, -20.0, -17.0], $whole['hot'], 1e-9);
        self::assertEqualsWithDelta([-22.0, -19.0, -17.0], $ratio['hot'], 1e-9);
        self::assertEqualsWithDelta([-22.0, -20.0, -15.0], $quartile['hot'], 1e-9);
        unset($whole['hot'], $ratio['hot'], $quartile['hot']);
        self::assertSame([$whole, $whole], [$ratio, $quartile]);
    }

    #[Test]
    public function what_breaks_under_the_articles_list_is_named_and_traps_are_called_traps(): void
    {
        $page = $this->page(PreloadResults::whole());

        self::assertStringContainsString("Under the article's own list other answers come from these, of which all were made as traps:", self::words($page));
        self::assertStringContainsString('`GET /pages/alias` (made as a trap): a class by its alias', self::words($page));
        self::assertStringContainsString('Under the lists of headroom:preload no page answers otherwise.', self::words($page));
        self::assertStringContainsString('article|3|2 2 made as traps|–|–|', self::words($page));
        self::assertStringContainsString('hot|0|0|11|8.7 s|', self::words($page));
        self::assertSame([], ReportBlocks::of($page)->tones());
    }

    #[Test]
    public function a_page_that_was_no_trap_is_told_apart(): void
    {
        $page = $this->page(PreloadResults::whole()->with('findings/9/pages_changed', ['GET /pages/alias', 'GET /pages/posts']));

        self::assertStringContainsString('of which 1 were not made as traps:', self::words($page));
        self::assertStringContainsString('`GET /pages/posts` (no trap)', self::words($page));
        self::assertStringContainsString('article|3|2 1 made as traps|', self::words($page));
    }

    #[Test]
    public function a_list_of_ours_that_breaks_a_page_is_said_as_loud(): void
    {
        $page = $this->page(PreloadResults::whole()->with('findings/7/pages_changed', ['GET /pages/mail']));

        self::assertSame(['breaks' => 'alert'], ReportBlocks::of($page)->tones());
        self::assertSame(['1 of the 15 pages answer otherwise under them, which must not be: see below.', '1', 'Under hot other answers come from these, of which 1 were not made as traps:'], array_values(array_diff(ReportBlocks::of($page)->meant('alert'), [''])));
        self::assertStringNotContainsString('no page answers otherwise', self::words($page));
    }

    #[Test]
    public function what_was_not_measured_is_said_and_not_left_out(): void
    {
        $page = $this->page(PreloadResults::whole()->without('article')->with('refused', ['article' => 'PHP-FPM ended with 254.']), isQuick: true);

        self::assertStringContainsString('article|–|not measured|not measured|not measured|not measured|', self::words($page));
        self::assertStringContainsString('article was not measured: `PHP-FPM ended with 254.`', self::words($page));
        self::assertStringContainsString('its figures are no results', self::words($page));
        self::assertStringContainsString('QUICK=1 make bench-preload', self::words($page));
        self::assertSame(['result' => 'alert'], ReportBlocks::of($page)->tones());
        self::assertStringNotContainsString('its figures are no results', self::words($this->page(PreloadResults::whole())));
    }

    #[Test]
    public function every_trap_of_the_workbench_is_explained(): void
    {
        $page = $this->page(PreloadResults::whole()->with('findings/9/pages_changed', Pages::TRAPS));

        self::assertSame(count(Pages::TRAPS), substr_count(self::words($page), '(made as a trap): '));
    }

    #[Test]
    public function whatever_the_results_say_is_text_and_asks_nobody_for_anything(): void
    {
        $evil = '</style><script src="https://example.com/x"></script><img src=x>';
        $page = $this->page(PreloadResults::whole()->with('refused', [$evil => $evil])->with('ini', [$evil => $evil])->with('findings/7/variant', $evil)->with('findings/9/pages_changed', [$evil]), machine: ['commit' => $evil, 'cpu' => $evil]);

        [$before, $data, $after] = (array) preg_split('~(?<=id="page_data">)(.*?)(?=</script>)~s', $page, 2, PREG_SPLIT_DELIM_CAPTURE);

        self::assertFalse(str_contains((string) $data, '<'));
        self::assertFalse(str_contains("{$before}{$after}", 'example.com'));
        self::assertStringContainsString("{$evil} was not measured: `{$evil}`", self::words($page));
        self::assertTrue(str_contains($page, "default-src 'none'"));
    }

    #[Test]
    public function what_matters_is_said_before_any_table(): void
    {
        $of = fn (PreloadResults $results): string => explode("\nThe article's table", self::words($this->page($results)))[0];
        $whole = PreloadResults::whole();

        self::assertStringContainsString("`laravel` spares most: 20.0 to 20.0 % of a request's CPU time, by page, against `-o -a` without preloading.", $of($whole));
        self::assertStringContainsString('`hot` spares most: 20.0 to 22.0 %', $of($whole->with('findings/7/costs/GET ~pages~json/cpu_ratio/ratio', 0.78)));
        self::assertStringContainsString('`refined` spares most', $of($whole->with('findings/4/costs/GET ~pages~json/seen', false)));
        self::assertStringContainsString('None of the 15 pages answers otherwise under them.', $of($whole));
        self::assertStringContainsString("Under the article's own list 2 do, 2 of them made as traps, and PHP warns 3 times.", $of($whole));
    }

    #[Test]
    public function that_no_list_spares_anything_is_said(): void
    {
        $results = PreloadResults::whole();

        foreach (range(4, 8) as $list) {
            $results = $results->with("findings/{$list}/costs/GET ~pages~posts/seen", false);
        }

        self::assertSame(['No list of headroom:preload was seen to spare CPU time on every page that was measured.'], array_values(array_diff(ReportBlocks::of($this->page($results))->meant('alert'), [''])));
    }

    #[Test]
    public function the_same_results_make_the_same_page(): void
    {
        self::assertTrue($this->page(PreloadResults::whole()) === $this->page(PreloadResults::whole()));
    }

    #[Test]
    #[TestWith(['', 'is not what make bench-preload writes'])]
    #[TestWith(['[]', 'is not what make bench-preload writes'])]
    #[TestWith(['{"experiment": "collector", "parts": {"strategies": {}}}', 'is not what make bench-preload writes'])]
    #[TestWith(['{"experiment": "preload", "parts": {"strategies": {}}}', 'parts.strategies.figures is not there, where a table is wanted. Measure it again: make bench-preload'])]
    #[TestWith(['{"experiment": "preload", "parts": {"strategies": {"figures": {"findings": []}}}}', 'parts.strategies.figures.findings is a list of 0, where a list with something in it is wanted'])]
    public function what_is_no_results_file_is_named_and_no_page_is_made(string $json, string $words): void
    {
        $this->refuses($json, $words);
    }

    #[Test]
    #[TestWith(['findings/7/costs/GET ~pages~json/cpu_ratio/ratio', null, 'findings.7.costs.GET /pages/json.cpu_ratio.ratio is null, where a number'])]
    #[TestWith(['findings/7/preload_bytes', -1, 'findings.7.preload_bytes is -1, where a number from 0'])]
    #[TestWith(['findings/7/start_ms', 519, 'findings.7.start_ms is 519, where a table'])]
    #[TestWith(['findings/7/first_request_seen', 'yes', "findings.7.first_request_seen is the text 'yes', where true or false"])]
    public function a_figure_that_is_not_there_is_named_and_never_taken_for_0(string $path, mixed $value, string $words): void
    {
        $this->refuses(PreloadResults::whole()->with($path, $value)->json(), "parts.strategies.figures.{$words}");
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

    private static function words(string $page): string
    {
        return ReportBlocks::of($page)->words();
    }

    private static function label(string $page, string $chart): string
    {
        $label = ReportBlocks::of($page)->charts()[$chart]['label'] ?? null;

        return is_string($label) ? rtrim($label, '.') : '';
    }

    /** @return array<string, array<mixed>> quartiles and median by list, of those that have some */
    private static function drawn(string $page, string $chart): array
    {
        $ranges = ReportBlocks::of($page)->charts()[$chart]['ranges'] ?? [];

        /** @var array<string, array<mixed>> $drawn */
        $drawn = array_filter(is_array($ranges) ? array_column($ranges, 'values', 'name') : [], is_array(...));

        return $drawn;
    }

    private static function faint(string $page): int
    {
        $ranges = ReportBlocks::of($page)->charts()['cpu-get-pages-json']['ranges'] ?? [];

        return count(array_keys(is_array($ranges) ? array_column($ranges, 'faint') : [], true, true));
    }

    /** @return array<mixed> ours by variant */
    private static function rates(string $page): array
    {
        $chart = ReportBlocks::of($page)->charts()['rates'];
        self::assertIsArray($chart['categories']);
        self::assertIsArray($chart['bars']);
        $bars = array_column($chart['bars'], 'values', 'name')['here'];
        self::assertIsArray($bars);

        return array_combine(array_filter($chart['categories'], is_string(...)), $bars);
    }
}
