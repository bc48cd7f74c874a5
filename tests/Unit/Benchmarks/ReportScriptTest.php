<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Support\BottleneckResults;
use Headroom\Tests\Support\CollectorResults;
use Headroom\Tests\Support\Edits;
use Headroom\Tests\Support\PreloadResults;
use Headroom\Tests\Support\QueueResults;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * report.php of each experiment, as somebody runs it.
 */
final class ReportScriptTest extends TestCase
{
    private const OLD = 'the page that was there';

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('script');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    #[DataProvider('experiments')]
    public function half_a_file_is_a_line_and_the_page_stays(string $experiment, string $json): void
    {
        $file = $this->directory->write("{$experiment}.json", substr($json, 0, intdiv(strlen($json), 2)));

        $this->assertRefused($experiment, "{$file} is not what make bench-{$experiment} writes: it is no JSON (", "), or half of one. Take it away, or put it back as it was committed, and run: make bench-{$experiment}\n");
    }

    #[Test]
    #[DataProvider('experiments')]
    public function a_value_that_is_wrong_is_a_line_and_the_page_stays(string $experiment, string $json, string $from, string $to, string $line): void
    {
        $file = $this->directory->write("{$experiment}.json", str_replace($from, $to, $json));

        $this->assertRefused($experiment, "{$file}: parts.{$line}\n");
    }

    #[Test]
    public function results_that_are_well_are_a_page(): void
    {
        $this->directory->write('queues.json', Edits::json(QueueResults::whole()));
        $process = $this->report('queues');

        self::assertSame([0, '', $this->directory->file('queues.html')."\n"], [$process->getExitCode(), $process->getErrorOutput(), $process->getOutput()]);
        self::assertStringContainsString('page_data', (string) file_get_contents($this->directory->file('queues.html')));
        self::assertSame(['queues.html', 'queues.json'], array_values(array_diff((array) scandir($this->directory->path), ['.', '..'])));
    }

    #[Test]
    public function the_page_of_all_experiments_stays_too(): void
    {
        $file = $this->directory->write('queues.json', '{"experiment": "queues", "parts": {"empty": 5}}');
        $this->directory->write('index.html', self::OLD);
        $process = $this->script('index', $this->directory->path);

        self::assertSame([1, '', "{$file}: parts.empty is 5, where a table is wanted. Measure it again: PART=empty make bench-queues\n"], [$process->getExitCode(), $process->getOutput(), $process->getErrorOutput()]);
        self::assertStringEqualsFile($this->directory->file('index.html'), self::OLD);
    }

    /** @return iterable<string, array{string, string, string, string, string}> name and results; what is replaced in them, by what, and what is said */
    public static function experiments(): iterable
    {
        yield 'queues' => ['queues', Edits::json(QueueResults::whole()), '"seconds":0.5,', '"seconds":-0.5,', 'empty.figures.findings.0.outcomes.1.seconds is -0.5, where a number above 0 is wanted. Measure it again: PART=empty make bench-queues'];
        yield 'bottleneck' => ['bottleneck', BottleneckResults::whole()->json(), '"requests":1750', '"requests":"1750"', "stages.figures.stages.0.load.requests is the text '1750', where a whole number from 0 to 1e15 is wanted. Measure it again: PART=stages make bench-bottleneck"];
        yield 'preload' => ['preload', PreloadResults::whole()->json(), '"memory_mb":4096', '"memory_mb":1e999', 'strategies.machine.memory_mb is a number beyond 1.8e308, where a whole number from 1 to 1e15 is wanted. Measure it again: make bench-preload'];
        yield 'collector' => ['collector', CollectorResults::whole()->json(), '"result":{"errors":0', '"result":{"errors":{"a":0}', 'hello.result.errors.median is not there, where a number from 0 to 1e15 is wanted. Measure it again: PART=hello make bench-collector'];
    }

    private function assertRefused(string $experiment, string ...$words): void
    {
        $this->directory->write("{$experiment}.html", self::OLD);
        $process = $this->report($experiment);

        self::assertSame([1, ''], [$process->getExitCode(), $process->getOutput()]);
        self::assertSame(1, substr_count($process->getErrorOutput(), "\n"), $process->getErrorOutput());

        foreach ($words as $word) {
            self::assertStringContainsString($word, $process->getErrorOutput());
        }

        self::assertStringEqualsFile($this->directory->file("{$experiment}.html"), self::OLD);
    }

    private function report(string $experiment): Process
    {
        return $this->script($experiment, $this->directory->file("{$experiment}.json"));
    }

    private function script(string $experiment, string $path): Process
    {
        $process = new Process([PHP_BINARY, '-d', 'display_errors=stderr', dirname(__DIR__, 3)."/benchmarks/{$experiment}/report.php", $path], env: ['QUICK' => '0']);
        $process->run();

        return $process;
    }
}
