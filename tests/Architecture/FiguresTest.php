<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Figures;
use Headroom\Benchmarks\Report\Pages;
use Headroom\Benchmarks\Report\Template;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The figures on a page are those of the run in benchmarks/results.
 */
final class FiguresTest extends TestCase
{
    #[Test]
    public function the_figures_of_the_scaling_guide_were_measured(): void
    {
        $run = self::results('write-buffer');
        $append = 'parts/append/figures/append/nanos';
        $row = static fn (string $how): string => self::micros($run, "{$append}/{$how}/p50").' | '
            .self::micros($run, "{$append}/{$how}/p99").' |';

        self::assertLines('docs/scaling.md', [
            '| appending one encoded event, first of a file | '.$row('opened'),
            '| appending one encoded event, file already open | '.$row('kept'),
            '| CPU time that one event adds to a whole Laravel request | '
                .self::millis($run, 'parts/request/figures/added/median').' | |',
            '> A locked `file_put_contents()` takes '.self::micros($run, "{$append}/naive/p50").' for the same line',
            '| eight processes that append at once | '
                .self::thousands($run, 'parts/parallel/figures/ours/per_second/median').' events/s |',
            '| **one flusher, one bucket**, into SQLite | '
                .self::thousands($run, 'parts/flush/figures/sqlite/rows_per_second/ours/median').' rows/s |',
            '| into MariaDB | '.self::thousands($run, 'parts/flush/figures/mariadb/rows_per_second/ours/median')
                .' rows/s |',
            '| into PostgreSQL | '.self::thousands($run, 'parts/flush/figures/pgsql/rows_per_second/ours/median')
                .' rows/s |',
            '| memory of a flush of 1,000,000 events | '.self::number($run, 'parts/memory/result/flush_peak_mb')
                .' MB above the application |',
            '| reading a backlog (`spool:status`, a heartbeat) | '
                .round(self::number($run, 'parts/scan/result/scan_mb_per_s')).' MB/s |',
        ]);
    }

    #[Test]
    public function the_figure_of_the_first_screen_has_the_range_of_the_run(): void
    {
        $run = self::results('write-buffer');
        $readme = (string) preg_replace('/\s+/', ' ', Files::read('README.md'));

        foreach (['sync', 'buffered'] as $way) {
            [$median, $min, $max] = array_map(
                static fn (string $which): float => round(
                    self::number($run, "parts/endpoints/figures/b/endpoints/{$way}/requests_per_second/{$which}"),
                ),
                ['median', 'min', 'max'],
            );

            self::assertMatchesRegularExpression("/\*\*{$median}\*\*[^(]* \({$min} to {$max}\)/", $readme, $way);
        }
    }

    #[Test]
    public function the_figures_of_the_home_page_were_measured(): void
    {
        $run = self::results('write-buffer');
        $rate = static fn (string $endpoint): string => number_format(
            self::number($run, "parts/endpoints/figures/b/endpoints/{$endpoint}/requests_per_second/median"),
        );
        $events = static fn (string $what): string
            => number_format(self::number($run, "parts/contended/figures/c/{$what}"));

        self::assertLines('docs/index.md', [
            "- **{$rate('buffered')} requests/s** with the buffer, {$rate('sync')} with an insert:",
            "- **{$events('lost')} of {$events('acknowledged')}** acknowledged events were lost,"
                ." and {$events('double')}"
                .' were delivered twice,',
            '- **'.self::thousands($run, 'parts/flush/figures/mariadb/rows_per_second/ours/median').' rows/s** go',
        ]);
    }

    #[Test]
    public function each_experiment_s_readme_says_what_was_reached(): void
    {
        foreach (Experiment::all() as $name => $experiment) {
            $directory = dirname(__DIR__, 2).'/benchmarks';
            $figures = Figures::read("{$directory}/results/{$name}.json", $name);
            $readme = file_get_contents("{$directory}/{$name}/README.md");

            self::assertStringContainsString(
                (new Template($experiment->result))->words($figures),
                (string) preg_replace('/\s+/', ' ', (string) $readme),
                "benchmarks/{$name}/README.md",
            );
        }
    }

    #[Test]
    public function the_costs_of_durability_were_measured(): void
    {
        $run = self::results('durability');
        $lines = [];

        foreach (['opened' => 'opened', 'kept' => 'kept open'] as $how => $words) {
            foreach (['process', 'interval', 'power'] as $level) {
                $name = "`{$level}`, {$words}";
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
    public function the_failure_model_tells_of_the_last_torture(): void
    {
        $run = self::results('torture');
        $of = (array) self::value($run, 'result');
        $names = implode(', ', array_intersect_key(
            ['sqlite' => 'SQLite', 'mariadb' => 'MariaDB', 'mysql' => 'MySQL', 'pgsql' => 'PostgreSQL'],
            $of,
        ));
        $sum = static fn (string $count): float => array_sum(array_map(
            static fn (int|string $name): float => self::number($run, "result/{$name}/{$count}"),
            array_keys($of),
        ));

        $sentence = sprintf(
            'with %d seconds on each of %s, %.1f million events were acknowledged; %d were lost and %d arrived twice',
            self::number($run, 'seconds'),
            preg_replace('/, (\w+)$/', ' and $1', $names),
            $sum('acknowledged') / 1e6,
            $sum('lost'),
            $sum('double'),
        );

        self::assertTrue(
            str_contains((string) preg_replace('/\s+/', ' ', Files::read('docs/failure-model.md')), $sentence),
            "docs/failure-model.md has other figures than benchmarks/results, which make this sentence: {$sentence}",
        );
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

        self::assertLines('docs/collector-operation.md', $lines);
        self::assertLines('docs/collector-operation.md', [
            '| one flusher into OpenSearch | '.self::thousands($run, 'parts/drain/figures/documents_per_second/median')
                .' | |',
        ]);
    }

    #[Test]
    public function the_pages_of_the_results_are_those_of_the_results(): void
    {
        $results = Files::root().'/benchmarks/results';
        $pages = new Pages($results);
        $names = array_keys(array_filter(
            Experiment::all(),
            static fn (Experiment $experiment): bool => $experiment->hasPage(),
        ));

        foreach ([...$names, Pages::INDEX] as $name) {
            // Not assertSame(), which would print both pages.
            self::assertTrue(
                $pages->page($name)->html() === file_get_contents("{$results}/{$name}.html"),
                "benchmarks/results/{$name}.html differs from its results. Run: php benchmarks/render.php",
            );
        }
    }

    #[Test]
    public function the_proofs_of_the_doctor_were_measured(): void
    {
        $run = self::results('bottleneck');
        $rows = [];

        foreach (Stage::cases() as $i => $stage) {
            $at = "parts/stages/figures/stages/{$i}";
            self::assertSame($stage->value, self::value($run, "{$at}/stage"));
            $found = array_filter((array) self::value($run, "{$at}/doctor/found"), is_string(...));
            $checks = array_intersect($found, ['R1', 'N5']);
            $rows[] = "- {$stage->title()}: ".self::load($run, "{$at}/load").'. The doctor named '
                .implode(', ', ['`'.self::text($run, "{$at}/doctor/cause").'`', ...$checks]).'.';
        }

        foreach (['0/steps/0', '1/steps/0', '1/steps/1'] as $step) {
            $at = 'parts/fixes/figures/mended';
            $stage = Stage::from(self::text($run, "{$at}/{$step[0]}/stage"));
            $rows[] = "- {$stage->title()}, then ".self::text($run, "{$at}/{$step}/check").' as printed: '
                .self::load($run, "{$at}/{$step}/load").'.';
        }

        self::assertLines('docs/doctor.md', $rows);
    }

    #[Test]
    public function the_ways_to_sample_stacks_are_those_measured(): void
    {
        $run = self::results('stacks');
        $rows = [];

        foreach ([
            'excimer-1ms' => 'excimer, each 1 ms of CPU time',
            'excimer-10ms' => 'excimer, each 10 ms',
            'file-99hz' => '`/proc/PID/mem`, 99 a second',
            'vm-99hz' => '`process_vm_readv`, 99 a second',
            'vm-999hz' => '`process_vm_readv`, 999 a second',
            'phpspy-99hz' => 'phpspy, 99 a second',
            'phpspy-999hz' => 'phpspy, 999 a second',
            'phpspy-999hz-paused' => 'phpspy `-S`, 999 a second',
        ] as $name => $words) {
            $way = "figures/ways/{$name}";
            $kinds = self::value($run, "{$way}/kinds");
            $top = static fn (string $of): float
                => is_numeric($share = self::value($run, "{$way}/tops/{$of}")) ? 100 * $share : 0.0;
            $rows[] = sprintf(
                '| %s | %.3f | %s | %s | %.0f, %.0f, %.0f |',
                $words,
                self::number($run, "{$way}/worker_cpu_ratio"),
                $kinds === null ? 'in the worker' : sprintf('%.3f', self::number($run, "{$way}/sampler_cpu_ratio")),
                is_array($kinds) ? sprintf('%.1f %%', self::impossible($kinds)) : 'none',
                $top('Prices::all'),
                $top('Tree::depth'),
                $top('Signer::sign') + $top('hash_pbkdf2'),
            );
        }

        self::assertLines('docs/adr/0028-php-stacks-are-sampled-in-a-request.md', $rows);
    }

    /** @param array<mixed> $kinds */
    private static function impossible(array $kinds): float
    {
        [$true, $impossible, $unreadable] = array_map(
            static fn (string $kind): float => self::number($kinds, $kind),
            ['true', 'impossible', 'unreadable'],
        );

        return 100 * ($impossible + $unreadable) / ($true + $impossible + $unreadable);
    }

    /** @param array<mixed> $run */
    private static function load(array $run, string $path): string
    {
        $number = static fn (string $key): float => self::number($run, "{$path}/{$key}");

        return implode(', ', [
            number_format(100 * $number('error_rate'), 2).' % errors',
            number_format($number('mean_ms')).' ms',
            number_format($number('redis_clients_most')).' Redis clients',
            number_format($number('redis_connections_per_second'), 1).' new per second',
            'CPUs '.number_format(100 * $number('cpu_share')).' % busy',
        ]);
    }

    /** @param list<string> $lines */
    private static function assertLines(string $page, array $lines): void
    {
        // A list item may continue on an indented line.
        $text = (string) preg_replace('/\n  (?=\S)/', ' ', Files::read($page));

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
    private static function millis(array $run, string $path): string
    {
        return number_format(self::number($run, $path), 2).' ms';
    }

    /** @param array<mixed> $run */
    private static function thousands(array $run, string $path): string
    {
        return number_format(round(self::number($run, $path), -3));
    }

    /** @param array<mixed> $run */
    private static function number(array $run, string $path): float
    {
        $value = self::value($run, $path);
        self::assertIsNumeric($value, $path);

        return (float) $value;
    }

    /** @param array<mixed> $run */
    private static function text(array $run, string $path): string
    {
        $value = self::value($run, $path);
        self::assertIsString($value, $path);

        return $value;
    }

    /** @param array<mixed> $run */
    private static function value(array $run, string $path): mixed
    {
        $value = $run;

        foreach (explode('/', $path) as $key) {
            self::assertIsArray($value, $path);
            $value = $value[$key] ?? null;
        }

        return $value;
    }
}
