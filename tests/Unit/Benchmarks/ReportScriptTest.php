<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\ReportBlocks;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * report.php of each experiment, run as a developer runs it, on copies of the committed results.
 */
final class ReportScriptTest extends TestCase
{
    private const OLD = 'the page that was there';

    private const ROOT = __DIR__.'/../../..';

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('script');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    /**
     * @param array<string, int|float> $figures a value by its path in the results
     * @param list<string> $sections ids
     */
    #[Test]
    #[DataProvider('pages')]
    public function a_page_shows_the_figures_of_its_results(
        string $name,
        array $figures,
        string $shown,
        array $sections,
    ): void {
        self::assertStringNotContainsString($shown, (string) file_get_contents(self::committed("{$name}.html")));
        $this->directory->write("{$name}.json", self::results($name, $figures));
        $process = $this->report($name);

        self::assertSame([0, '', $this->directory->file("{$name}.html")."\n"], self::outcome($process));
        self::assertSame(["{$name}.html", "{$name}.json"], $this->files());
        $page = ReportBlocks::of((string) file_get_contents($this->directory->file("{$name}.html")));
        self::assertSame([], array_diff($sections, $page->ids()));
        self::assertStringContainsString($shown, $page->words());
        self::assertNotSame([], $page->charts());
    }

    /** @return iterable<string, array{string, array<string, int|float>, string, list<string>}> */
    public static function pages(): iterable
    {
        $jobs = array_fill_keys(
            array_map(
                static fn (int $run): string => "parts/empty/figures/findings/0/outcomes/{$run}/seconds",
                range(0, 9),
            ),
            13_800 / 76_543,
        );

        yield 'queues' => ['queues', $jobs, '76,543', ['empty', 'slow', 'arrivals']];
        yield 'bottleneck' => [
            'bottleneck',
            ['parts/stages/figures/stages/0/load/error_rate' => 0.4321],
            '43.21 %',
            ['stages', 'baseline', 'persistent', 'machines'],
        ];
        yield 'preload' => [
            'preload',
            ['parts/strategies/figures/findings/7/preload_bytes' => 987_600_000],
            '987.6',
            ['result', 'article', 'memory', 'breaks'],
        ];
        yield 'collector' => [
            'collector',
            ['parts/lane/figures/rate/median' => 7.654],
            '7.65x',
            ['summary', 'part-lane', 'machines'],
        ];
    }

    #[Test]
    public function an_aim_of_the_collector_that_is_missed_alerts(): void
    {
        $this->directory->write(
            'collector.json',
            self::results('collector', ['parts/lane/figures/rate/median' => 7.99]),
        );
        $this->report('collector');
        $page = ReportBlocks::of((string) file_get_contents($this->directory->file('collector.html')));

        $committed = ReportBlocks::of((string) file_get_contents(self::committed('collector.html')));

        self::assertSame([], array_intersect_key($committed->tones(), ['part-lane' => true]));
        self::assertSame('alert', $page->tones()['part-lane'] ?? null);
        self::assertStringContainsString('7.99x', $page->words());
    }

    #[Test]
    public function the_page_of_all_experiments_shows_figures_of_each(): void
    {
        foreach ((array) glob(self::committed('*.json')) as $file) {
            copy((string) $file, $this->directory->file(basename((string) $file)));
        }

        $this->directory->write(
            'write-buffer.json',
            self::results('write-buffer', ['parts/contended/figures/c/buffered_vs_sync/median' => 4.321]),
        );
        $this->directory->write(
            'collector.json',
            self::results('collector', ['parts/figures/figures/slow_x/9/requests_per_second' => 321_987.0]),
        );
        $process = $this->index();

        self::assertSame([0, '', $this->directory->file('index.html')."\n"], self::outcome($process));
        $page = ReportBlocks::of((string) file_get_contents($this->directory->file('index.html')));
        self::assertSame(
            ['articles', 'write-buffer', 'bottleneck', 'queues', 'preload', 'collector', 'besides'],
            $page->ids(),
        );
        self::assertStringContainsString('4.32x', $page->words());
        self::assertStringContainsString('321,987', $page->words());
        self::assertCount(5, $page->charts());
    }

    #[Test]
    public function without_results_the_page_of_all_experiments_names_the_commands_that_measure(): void
    {
        self::assertSame([0, '', $this->directory->file('index.html')."\n"], self::outcome($this->index()));
        $page = ReportBlocks::of((string) file_get_contents($this->directory->file('index.html')));

        foreach ([
            'write-buffer', 'bottleneck', 'queues', 'preload', 'collector', 'load', 'logs', 'durability',
        ] as $experiment) {
            self::assertStringContainsString("make bench-{$experiment}", $page->words());
        }

        self::assertStringContainsString('make torture', $page->words());
    }

    #[Test]
    #[DataProvider('experiments')]
    public function a_missing_file_is_named_with_the_command_that_writes_it(string $experiment): void
    {
        $this->assertRefused($this->report($experiment), "{$experiment}.json", "make bench-{$experiment}");
    }

    #[Test]
    #[DataProvider('experiments')]
    public function half_a_file_is_named_and_the_old_page_stays(string $experiment): void
    {
        $this->directory->write(
            "{$experiment}.json",
            substr((string) file_get_contents(self::committed("{$experiment}.json")), 0, 5_000),
        );
        $this->directory->write("{$experiment}.html", self::OLD);

        $this->assertRefused($this->report($experiment), "{$experiment}.json", 'JSON', "make bench-{$experiment}");
        self::assertStringEqualsFile($this->directory->file("{$experiment}.html"), self::OLD);
    }

    #[Test]
    #[DataProvider('experiments')]
    public function a_wrong_value_is_named_by_its_path_and_the_old_page_stays(
        string $experiment,
        string $path,
        string $command,
    ): void {
        $this->directory->write("{$experiment}.json", self::results($experiment, [$path => -0.5]));
        $this->directory->write("{$experiment}.html", self::OLD);

        $this->assertRefused(
            $this->report($experiment),
            "{$experiment}.json: ".strtr($path, '/', '.').' ',
            '-0.5',
            $command,
        );
        self::assertStringEqualsFile($this->directory->file("{$experiment}.html"), self::OLD);
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function experiments(): iterable
    {
        yield 'queues' => [
            'queues', 'parts/empty/figures/findings/0/outcomes/1/seconds', 'PART=empty make bench-queues',
        ];
        yield 'bottleneck' => [
            'bottleneck', 'parts/stages/figures/stages/0/load/requests', 'PART=stages make bench-bottleneck',
        ];
        yield 'preload' => ['preload', 'parts/strategies/machine/memory_mb', 'make bench-preload'];
        yield 'collector' => ['collector', 'parts/hello/result/errors', 'PART=hello make bench-collector'];
    }

    #[Test]
    public function a_wrong_value_leaves_the_page_of_all_experiments_too(): void
    {
        $this->directory->write('queues.json', '{"experiment": "queues", "parts": {"empty": 5}}');
        $this->directory->write('index.html', self::OLD);

        $this->assertRefused($this->index(), 'queues.json: parts.empty ', 'PART=empty make bench-queues');
        self::assertStringEqualsFile($this->directory->file('index.html'), self::OLD);
    }

    private function assertRefused(Process $process, string $file, string ...$named): void
    {
        [$code, $errors, $output] = self::outcome($process);

        self::assertSame([1, '', 1], [$code, $output, substr_count($errors, "\n")], $errors);
        self::assertTrue(str_starts_with($errors, $this->directory->file($file)), $errors);

        foreach ($named as $name) {
            self::assertStringContainsString($name, $errors);
        }
    }

    private function report(string $experiment): Process
    {
        return self::script($experiment, $this->directory->file("{$experiment}.json"));
    }

    private function index(): Process
    {
        return self::script('index', $this->directory->path);
    }

    private static function script(string $experiment, string $path): Process
    {
        $process = new Process(
            [PHP_BINARY, '-d', 'display_errors=stderr', self::ROOT."/benchmarks/{$experiment}/report.php", $path],
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

    /** @param array<string, int|float> $figures */
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
                self::assertIsArray($at);
                self::assertArrayHasKey($key, $at, $path);
                $at = &$at[$key];
            }

            $at = $value;
            unset($at);
        }

        return json_encode($results, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
    }

    /** @return list<string> */
    private function files(): array
    {
        return array_values(array_diff(
            array_filter((array) scandir($this->directory->path), is_string(...)),
            ['.', '..'],
        ));
    }
}
