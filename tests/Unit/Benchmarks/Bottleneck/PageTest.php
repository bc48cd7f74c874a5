<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks\Bottleneck;

use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\Bottleneck\Report\Article;
use Headroom\Benchmarks\Bottleneck\Report\Page;
use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Support\BottleneckResults;
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
    public function a_stage_is_shown_with_its_figures_and_with_what_the_doctor_said(): void
    {
        $page = $this->blocks(BottleneckResults::of(['right' => true, 'words' => 'named redis-connections, flagged R1'], true));
        $words = $page->words();

        self::assertStringContainsString("\nBaseline|50.51 % article 50.51 %|9,929 ms article 9,929 ms|12,000 ms|25|88.0|31 %|✓ named redis-connections, flagged R1|\n", $words);
        self::assertStringContainsString('Requests wait for Redis <there>. After 21 s.', $words);
        self::assertStringContainsString("Its checks found:\nR1 (high): A request opens 2 new connections to Redis.", $words);
        self::assertStringContainsString('ill stages that it named|1 of 1|', $words);
        self::assertStringContainsString("longest until it did|21.0 s|\nfalse alarms where all was well|0 of 0|", $words);
        self::assertStringContainsString('mended as printed: fixed', $words);
        self::assertStringContainsString('`.env, at the end + REDIS_PERSISTENT=true`', $words);
        self::assertStringContainsString("R1 finds nothing any more.\nerrors|50.51 %|\nmean|9,929 ms|\np95|12,000 ms|", $words);
        self::assertSame([], [...$page->tones(), ...$page->meant('alert')]);
        self::assertStringContainsString('commit abc, 2026-01-01T00:00:00Z', $words);
    }

    #[Test]
    public function answers_and_redis_are_drawn_over_time(): void
    {
        $charts = $this->blocks(BottleneckResults::of(['right' => true, 'words' => ''], true))->charts();

        self::assertSame(['errors', 'means', 'baseline-response-time', 'baseline-redis'], array_keys($charts));
        self::assertSame([[[0, 500], [1, 8000], [2, null]]], self::lines($charts['baseline-response-time']));
        self::assertSame([['x' => 1, 'y' => 8000, 'text' => '3 of 3 failed']], $charts['baseline-response-time']['marks']);
        self::assertSame([[[0.5, 20], [1.5, 25]], [[0.5, 96], [1.5, 80.5]]], self::lines($charts['baseline-redis']));
    }

    /** A point of neighbours is the mean of their answers, and the most clients of their looks. */
    #[Test]
    public function what_is_long_is_drawn_with_fewer_points(): void
    {
        $odd = static fn (int $at): bool => $at % 2 !== 0;
        $results = BottleneckResults::of(['right' => true, 'words' => ''], true)
            ->with('stages/figures/stages/0/load/timeline', array_map(static fn (int $at): array => ['from_s' => 0.25 * $at, 'seconds' => 0.25, 'succeeded' => $odd($at) ? 1 : 3, 'errors' => $at === 1 ? 2 : 0, 'mean_ms' => $odd($at) ? 300.0 : 100.0], range(0, 79)))
            ->with('stages/figures/stages/0/load/redis', array_map(static fn (int $at): array => ['at_s' => 0.25 * $at, 'clients' => $odd($at) ? 7 : 9, 'connections_per_second' => $odd($at) ? 20.0 : 10.0], range(0, 79)));
        $charts = $this->blocks($results)->charts();
        [$times, $redis] = [self::lines($charts['baseline-response-time']), self::lines($charts['baseline-redis'])];

        self::assertSame([40, 40, 40], [count($times[0]), count($redis[0]), count($redis[1])]);
        self::assertSame([[0, 200], [0.5, 150], [1, 150]], array_slice($times[0], 0, 3));
        self::assertSame(['2 of 6 failed'], array_column((array) $charts['baseline-response-time']['marks'], 'text'));
        self::assertSame([[0.5, 9], [0.5, 15]], [$redis[0][1], $redis[1][1]]);
    }

    #[Test]
    public function every_stage_of_the_path_is_there_and_the_table_leads_to_it(): void
    {
        $html = (string) file_get_contents(Page::write($this->directory->write('bottleneck.json', BottleneckResults::whole()->json())));
        $page = ReportBlocks::of($html);
        $stages = array_column(Stage::cases(), 'value');

        self::assertSame(['stages', ...$stages, 'mended-baseline', 'not-said', 'machines', 'repeat'], $page->ids());
        self::assertStringContainsString('Errors at the baseline: 50.51 %, with 31 % of the CPUs busy. With persistent connections to Redis: 50.51 %.', $page->words());

        foreach (Stage::cases() as $at => $stage) {
            self::assertStringContainsString("\n".($at + 1).". {$stage->title()}\n{$stage->words()} CPU: all.\nerrors|50.51 %|", $page->words());
            self::assertStringContainsString("\"link\":\"#{$stage->value}\"", $html);
        }
    }

    /** As it prints them; it gives the last two once. */
    #[Test]
    public function the_articles_figures_are_the_articles(): void
    {
        self::assertSame(
            ['baseline' => [0.5051, 9_929], 'packages' => [null, null], 'keepalive' => [0.8486, 566], 'limits' => [0.4867, 7_917], 'cpus' => [0.1527, 12_350], 'files' => [0.0003, 3_730], 'persistent' => [0.0003, 3_730]],
            array_combine(array_column(Stage::cases(), 'value'), array_map(static fn (Stage $stage): array => [Article::errors($stage), Article::mean($stage)], Stage::cases())),
        );
    }

    #[Test]
    public function what_went_wrong_is_said_as_loud_as_what_went_well(): void
    {
        $page = $this->blocks(BottleneckResults::of(['right' => false, 'words' => 'named nothing, not redis-connections'], false));

        self::assertStringContainsString('mended as printed: not fixed', $page->words());
        self::assertSame(['baseline' => 'alert', 'mended-baseline' => 'alert'], $page->tones());
        self::assertSame(['The doctor was wrong at: Baseline.', '✗ named nothing, not redis-connections', 'That is wrong here: named nothing, not redis-connections.'], $page->meant('alert'));
    }

    #[Test]
    public function a_finding_that_could_not_be_done_or_did_not_go_is_said(): void
    {
        $results = BottleneckResults::of(['right' => true, 'words' => ''], false)
            ->with('fixes/figures/mended/0/steps/0/gone', false)
            ->with('fixes/figures/mended/0/steps/1', ['check' => 'N5', 'trouble' => 'N5 found nothing, so there was nothing to do', 'done' => [], 'load' => null]);
        $page = $this->blocks($results);

        self::assertSame(['Then the same load again. R1 is still found.', 'N5: N5 found nothing, so there was nothing to do'], $page->meant('alert'));
    }

    #[Test]
    public function what_was_not_measured_is_said_and_not_left_out(): void
    {
        $page = ReportBlocks::of((string) file_get_contents(Page::write($this->directory->write('bottleneck.json', '{"experiment": "bottleneck", "quick": true, "parts": {}}'))));

        self::assertStringContainsString('The stages were not measured.', $page->words());
        self::assertStringContainsString('The fixes were not measured.', $page->words());
        self::assertStringContainsString('its figures are no results', $page->words());
        self::assertSame(['quick' => 'alert', 'stages' => 'alert', 'fixes' => 'alert'], $page->tones());
    }

    #[Test]
    public function the_same_results_make_the_same_page(): void
    {
        $written = fn (): string => (string) file_get_contents(Page::write($this->directory->write('bottleneck.json', BottleneckResults::whole()->json())));

        self::assertTrue($written() === $written());
    }

    #[Test]
    #[TestWith(['', 'is not what make bench-bottleneck writes'])]
    #[TestWith(['{"experiment": "collector", "parts": {}}', 'is not what make bench-bottleneck writes'])]
    #[TestWith(['[]', 'is not what make bench-bottleneck writes'])]
    public function what_is_no_results_file_is_named_and_no_page_is_made(string $text, string $words): void
    {
        $file = $this->directory->write('other.json', $text);

        try {
            Page::write($file);
            self::fail('It was taken.');
        } catch (UnableToReadResults $e) {
            self::assertStringContainsString("{$file} {$words}", $e->getMessage());
        }

        self::assertFileDoesNotExist($this->directory->file('other.html'));
    }

    private function blocks(BottleneckResults $results): ReportBlocks
    {
        return ReportBlocks::of((string) file_get_contents(Page::write($this->directory->write('bottleneck.json', $results->json()))));
    }

    /**
     * @param array<string, mixed> $chart
     * @return list<list<array{int|float, int|float|null}>> points of each
     */
    private static function lines(array $chart): array
    {
        /** @var list<array{points: list<array{int|float, int|float|null}>}> $lines */
        $lines = $chart['lines'];

        return array_column($lines, 'points');
    }
}
