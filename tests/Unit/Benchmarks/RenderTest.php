<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use Headroom\Benchmarks\Report\Experiment;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\ReportBlocks;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * benchmarks/render.php, run as a developer runs it, on copies of the committed results.
 */
final class RenderTest extends DirectoryTestCase
{
    private const OLD = 'the page that was there';

    private const ROOT = __DIR__.'/../../..';

    /** @param list<string> $sections ids */
    #[Test]
    #[DataProvider('pages')]
    public function a_page_shows_the_figures_of_its_results(
        string $name,
        string $path,
        int|float $value,
        string $shown,
        array $sections,
    ): void {
        self::assertStringNotContainsString($shown, (string) file_get_contents(self::committed("{$name}.html")));
        $this->directory->write("{$name}.json", self::results($name, [$path => $value]));
        $process = $this->render($name);

        self::assertSame([0, '', $this->directory->file("{$name}.html")."\n"], self::outcome($process));
        $page = ReportBlocks::of((string) file_get_contents($this->directory->file("{$name}.html")));
        self::assertSame([], array_diff([...$sections, 'result', 'limits', 'repeat', 'machines'], $page->ids()));
        self::assertStringContainsString($shown, $page->words());
        self::assertNotSame([], $page->charts());
    }

    /** @return iterable<string, array{string, string, int|float, string, list<string>}> */
    public static function pages(): iterable
    {
        yield 'queues' => [
            'queues', 'parts/empty/figures/findings/0/jobs_per_s', 76_543, '76,543/s', ['slow', 'arrivals', 'by-hand'],
        ];
        yield 'bottleneck' => [
            'bottleneck', 'parts/stages/figures/stages/0/load/error_rate', 0.4321, '43.2 %', ['stages', 'fixes'],
        ];
        yield 'preload' => [
            'preload', 'parts/strategies/figures/findings/7/preload_bytes', 987_600_000, '988',
            ['cpu', 'memory', 'breaks'],
        ];
        yield 'collector' => [
            'collector', 'parts/lane/figures/rate/median', 7.654, '7.65x', ['slow', 'lane', 'soak'],
        ];
        yield 'write-buffer' => [
            'write-buffer', 'parts/contended/figures/c/buffered_vs_sync/median', 4.321, '4.32x', ['append', 'flush'],
        ];
    }

    #[Test]
    public function a_figure_below_its_target_alerts(): void
    {
        $reached = $this->tones(8.01);
        $missed = $this->tones(7.99);

        self::assertSame(0, $reached);
        self::assertSame(1, $missed);
    }

    #[Test]
    public function the_page_of_all_experiments_shows_a_result_of_each(): void
    {
        foreach ((array) glob(self::committed('*.json')) as $file) {
            copy((string) $file, $this->directory->file(basename((string) $file)));
        }

        $this->directory->write('load.json', self::results('load', ['result/load_1_vs_hey' => 4.321]));
        $process = $this->render('index');

        self::assertSame([0, '', $this->directory->file('index.html')."\n"], self::outcome($process));
        $page = ReportBlocks::of((string) file_get_contents($this->directory->file('index.html')));
        self::assertSame([], array_diff(['results', ...array_keys(Experiment::all())], $page->ids()));
        self::assertStringContainsString('4.32x', $page->words());
        self::assertStringNotContainsString('not measured', $page->words());
    }

    #[Test]
    public function without_results_the_page_of_all_experiments_names_the_commands_that_measure(): void
    {
        self::assertSame(
            [0, '', $this->directory->file('index.html')."\n"],
            self::outcome($this->render('index')),
        );
        $html = (string) file_get_contents($this->directory->file('index.html'));
        $words = ReportBlocks::of($html)->words();
        self::assertSame(count(Experiment::all()), substr_count($html, '"text":"not measured"'));

        foreach (Experiment::all() as $experiment) {
            self::assertStringContainsString($experiment->command, $words);
        }
    }

    #[Test]
    public function a_part_that_was_not_measured_is_not_measured_and_never_zero(): void
    {
        $results = json_decode(self::results('collector', []), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($results);
        self::assertIsArray($results['parts']);
        unset($results['parts']['lane']);
        $this->directory->write('collector.json', json_encode($results, JSON_THROW_ON_ERROR));

        $this->render('collector');
        $page = (string) file_get_contents($this->directory->file('collector.html'));
        $whole = (string) file_get_contents(self::committed('collector.html'));

        self::assertSame(8, substr_count($page, '"not measured"') - substr_count($whole, '"not measured"'));
    }

    #[Test]
    #[DataProvider('damage')]
    public function damaged_results_are_named_and_the_old_page_stays(string $text, string $named): void
    {
        $this->directory->write('preload.json', $text);
        $this->directory->write('preload.html', self::OLD);
        [$code, $errors, $output] = self::outcome($this->render('preload'));

        self::assertSame([1, '', 1], [$code, $output, substr_count($errors, "\n")], $errors);
        self::assertTrue(str_starts_with($errors, $this->directory->file('preload.json')), $errors);
        self::assertStringContainsString($named, $errors);
        self::assertStringEqualsFile($this->directory->file('preload.html'), self::OLD);
    }

    /** @return iterable<string, array{string, string}> */
    public static function damage(): iterable
    {
        yield 'half a file' => [substr(self::results('preload', []), 0, 5_000), 'JSON'];
        yield 'another experiment' => [self::results('load', []), "'load'"];
        yield 'a text for a figure' => [
            self::results(
                'preload',
                ['parts/strategies/figures/findings/7/costs/GET ~1pages~1json/cpu_ratio/ratio' => 'x'],
            ),
            'cpu_ratio/ratio',
        ];
        yield 'a machine without memory' => [
            self::results('preload', ['parts/strategies/machine/memory_mb' => -5]),
            '/parts/strategies/machine/memory_mb',
        ];
    }

    #[Test]
    public function a_page_that_does_not_exist_is_refused(): void
    {
        self::assertSame(2, $this->render('articles')->getExitCode());
    }

    /** How many cells alert on the page of the collector, beyond those of the committed results. */
    private function tones(float $rate): int
    {
        $alerts = [];

        foreach ([
            self::results('collector', []), self::results('collector', ['parts/lane/figures/rate/median' => $rate]),
        ] as $text) {
            $this->directory->write('collector.json', $text);
            $this->render('collector');
            $page = (string) file_get_contents($this->directory->file('collector.html'));
            $alerts[] = substr_count($page, '"tone":"alert"');
        }

        return $alerts[1] - $alerts[0];
    }

    private function render(string $name): Process
    {
        $process = new Process(
            [
                PHP_BINARY, '-d', 'display_errors=stderr', self::ROOT.'/benchmarks/render.php',
                "--in={$this->directory->path}", $name,
            ],
            env: ['QUICK' => '0'],
        );
        $process->run();

        return $process;
    }

    /** @return array{?int, string, string} exit code, errors, output */
    private static function outcome(Process $process): array
    {
        return [$process->getExitCode(), $process->getErrorOutput(), $process->getOutput()];
    }

    private static function committed(string $file): string
    {
        return self::ROOT."/benchmarks/results/{$file}";
    }

    /** @param array<string, int|float|string> $figures */
    private static function results(string $name, array $figures): string
    {
        $results = json_decode(
            (string) file_get_contents(self::committed("{$name}.json")),
            true,
            flags: JSON_THROW_ON_ERROR,
        );

        foreach ($figures as $path => $value) {
            $at = &$results;

            foreach (explode('/', $path) as $key) {
                $key = strtr($key, ['~1' => '/']);
                self::assertIsArray($at);
                self::assertArrayHasKey($key, $at, $path);
                $at = &$at[$key];
            }

            $at = $value;
            unset($at);
        }

        return json_encode($results, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
    }
}
