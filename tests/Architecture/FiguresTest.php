<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use Headroom\Benchmarks\Bottleneck\Report\Page as BottleneckPage;
use Headroom\Benchmarks\Bottleneck\Report\Rows;
use Headroom\Benchmarks\Collector\Report\Page;
use Headroom\Benchmarks\Collector\Report\ResultsFile;
use Headroom\Benchmarks\Index\IndexPage;
use Headroom\Benchmarks\Preload\Report\Page as PreloadPage;
use Headroom\Benchmarks\Preload\Report\ResultsFile as PreloadResultsFile;
use Headroom\Benchmarks\Queues\QueueReport;
use Headroom\Benchmarks\Stacks\Figures as StackFigures;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Figures that a page takes from a run in benchmarks/results are those of that run.
 */
final class FiguresTest extends TestCase
{
    #[Test]
    public function the_figures_of_the_scaling_guide_were_measured(): void
    {
        $run = self::results('write-buffer');
        $opened = 'parts/append/figures/append/nanos/opened';
        $kept = 'parts/append/figures/append/nanos/kept';

        self::assertLines('docs/scaling.md', [
            "| a request's first event | ".self::micros($run, "{$opened}/p50").', '.self::micros($run, "{$opened}/p99")
                .' at the 99th percentile |',
            '| each further one in it | '.self::micros($run, "{$kept}/p50").', '.self::micros($run, "{$kept}/p99").' |',
            '| eight processes at once | '.self::thousands($run, 'parts/parallel/figures/ours/per_second/median')
                .' events/s |',
            '| **one flusher, one bucket**, into SQLite | '
                .self::thousands($run, 'parts/flush/figures/sqlite/rows_per_second/ours/median').' rows/s |',
            '| into MariaDB | '.self::thousands($run, 'parts/flush/figures/mariadb/rows_per_second/ours/median')
                .' rows/s |',
            '| into PostgreSQL | '.self::thousands($run, 'parts/flush/figures/pgsql/rows_per_second/ours/median')
                .' rows/s |',
            '| memory of a flush of 1,000,000 events | '.self::number($run, 'parts/memory/result/flush_peak_mb')
                .' MB above the application |',
            '| a look at a backlog (`spool:status`, a heartbeat) | '
                .round(self::number($run, 'parts/scan/result/scan_mb_per_s')).' MB/s |',
        ]);
    }

    #[Test]
    public function the_costs_of_durability_were_measured(): void
    {
        $run = self::results('durability');
        $lines = [];

        foreach (['opened' => 'one open per event', 'kept' => 'slot kept'] as $how => $words) {
            foreach (['process', 'interval', 'power'] as $level) {
                $name = $level === 'process' ? "{$words}: `process`" : "`{$level}`";
                [$p50, $p99] = array_map(
                    static fn (string $p): float => self::number($run, "micros/{$how}/{$level}/{$p}"),
                    ['p50', 'p99'],
                );
                $lines[] = "| {$name} | ".number_format($p50, $p50 < 100 ? 1 : 0).' | '.number_format($p99).' |';
            }
        }

        self::assertLines('docs/durability.md', $lines);
    }

    #[Test]
    public function the_figures_of_a_collector_worker_were_measured(): void
    {
        $run = self::results('collector');
        $lines = [];

        foreach ([
            'power_1' => 'one event a request',
            'power_100' => 'batches of 100',
            'jit_100' => 'batches of 100, PHP with its JIT',
            'process_1' => 'one event a request, `durability: process`',
            'process_100' => 'batches of 100, `durability: process`',
        ] as $how => $words) {
            [$rate, $perCpu] = array_map(
                static fn (string $what): string
                    => self::thousands($run, "parts/durable/figures/{$how}/{$what}/median"),
                ['events_per_second', 'events_per_cpu_second'],
            );
            $lines[] = "| {$words} | {$rate} | {$perCpu} |";
        }

        self::assertLines('docs/collector.md', $lines);
        self::assertLines('docs/collector.md', [
            '| one flusher into OpenSearch | '.self::thousands($run, 'parts/drain/figures/documents_per_second/median')
                .' | |',
        ]);
    }

    #[Test]
    public function the_collectors_report_is_that_of_its_results(): void
    {
        $results = Files::root().'/benchmarks/results/collector';

        // Not assertSame(), which would print both pages.
        self::assertTrue(
            (is_file("{$results}.json") ? (new Page(ResultsFile::read("{$results}.json")))->html() : null)
            === (is_file("{$results}.html") ? file_get_contents("{$results}.html") : null),
            'benchmarks/results/collector.html is not that of collector.json. Make it again:'
                .' php benchmarks/collector/report.php',
        );
    }

    #[Test]
    public function the_proofs_of_the_doctor_were_measured(): void
    {
        $isMeasured = is_file(Files::root().'/benchmarks/results/bottleneck.json');
        /** @var array<string, mixed> $run */
        $run = $isMeasured ? self::results('bottleneck') : [];
        $rows = Rows::of($run);

        self::assertSame($isMeasured, $rows !== []);
        self::assertLines('docs/doctor.md', $rows);
        self::assertSame(
            $isMeasured,
            str_contains(Files::read('docs/doctor.md'), "\n| Baseline |"),
            'docs/doctor.md has figures that nobody measured, or is without those of'
                .' benchmarks/results/bottleneck.json.',
        );
    }

    #[Test]
    public function the_bottlenecks_report_is_that_of_its_results(): void
    {
        $results = Files::root().'/benchmarks/results/bottleneck';

        self::assertTrue(
            (is_file("{$results}.json") ? BottleneckPage::of("{$results}.json")->html() : null)
            === (is_file("{$results}.html") ? file_get_contents("{$results}.html") : null),
            'benchmarks/results/bottleneck.html is not that of bottleneck.json. Make it again:'
                .' php benchmarks/bottleneck/report.php',
        );
    }

    #[Test]
    public function the_report_of_queues_is_that_of_its_results(): void
    {
        $results = Files::root().'/benchmarks/results';
        $directory = TemporaryDirectory::create('queues');

        try {
            copy("{$results}/queues.json", "{$directory->path}/queues.json");
            $made = (string) file_get_contents(QueueReport::write("{$directory->path}/queues.json"));
        } finally {
            $directory->remove();
        }

        self::assertTrue(
            $made === file_get_contents("{$results}/queues.html"),
            'benchmarks/results/queues.html is not that of queues.json. Make it again:'
                .' php benchmarks/queues/report.php',
        );
    }

    #[Test]
    public function the_page_of_all_experiments_is_that_of_their_results(): void
    {
        $results = Files::root().'/benchmarks/results';

        self::assertTrue(
            (new IndexPage($results, false))->page()->html()
                === (is_file("{$results}/index.html") ? file_get_contents("{$results}/index.html") : null),
            'benchmarks/results/index.html is not that of the results beside it. Make it again: make bench-index',
        );
    }

    #[Test]
    public function the_report_of_preloading_is_that_of_its_results(): void
    {
        $results = Files::root().'/benchmarks/results/preload';

        self::assertTrue(
            (is_file("{$results}.json") ? (new PreloadPage(PreloadResultsFile::read("{$results}.json")))->html() : null)
            === (is_file("{$results}.html") ? file_get_contents("{$results}.html") : null),
            'benchmarks/results/preload.html is not that of preload.json. Make it again:'
                .' php benchmarks/preload/report.php',
        );
    }

    #[Test]
    public function the_ways_to_sample_stacks_are_those_measured(): void
    {
        self::assertLines(
            'docs/adr/0028-php-stacks-are-sampled-in-a-request.md',
            StackFigures::rows(self::results('stacks')),
        );
    }

    /** @param list<string> $lines */
    private static function assertLines(string $page, array $lines): void
    {
        $text = Files::read($page);

        foreach ($lines as $line) {
            self::assertTrue(
                str_contains($text, "\n{$line}"),
                "{$page} has other figures than benchmarks/results, which make this line: {$line}",
            );
        }
    }

    /** @return array<mixed> */
    private static function results(string $name): array
    {
        $run = json_decode(Files::read("benchmarks/results/{$name}.json"), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($run);

        return $run;
    }

    /** @param array<mixed> $run */
    private static function micros(array $run, string $path): string
    {
        return number_format(self::number($run, $path) / 1000, 1).' us';
    }

    /** @param array<mixed> $run */
    private static function thousands(array $run, string $path): string
    {
        return number_format(round(self::number($run, $path), -3));
    }

    /** @param array<mixed> $run */
    private static function number(array $run, string $path): float
    {
        $value = $run;

        foreach (explode('/', $path) as $key) {
            self::assertIsArray($value, $path);
            $value = $value[$key] ?? null;
        }

        self::assertIsNumeric($value, $path);

        return (float) $value;
    }
}
