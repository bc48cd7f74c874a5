<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Benchmarks;

use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Acceptance\Charts\Browser;
use Headroom\Tests\Support\PreloadResults;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The report as somebody opens it: from the disk, in a browser.
 */
final class PreloadReportTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('report');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    #[TestWith([1280, false, 'rgb(246, 247, 249)'])]
    #[TestWith([1280, true, 'rgb(18, 21, 27)'])]
    #[TestWith([700, false, 'rgb(246, 247, 249)'])]
    #[TestWith([390, false, 'rgb(246, 247, 249)'])]
    #[TestWith([360, true, 'rgb(18, 21, 27)'])]
    public function the_charts_are_there_by_day_and_by_night_and_on_a_phone(int $width, bool $dark, string $background): void
    {
        $page = $this->report(PreloadResults::whole()->json());
        $seen = Browser::look("file://{$page}", [['figures' => 'first']], $width, $dark);
        $first = $seen['figures']['first'];

        self::assertSame([[], ["file://{$page}"]], [$seen['errors'], array_values(array_diff($seen['requests'], ['data:,']))]);
        self::assertSame([$background, 0, []], [$first['background'], $first['overflow'], $first['outside']]);
        self::assertCount(3, $first['charts']);

        foreach ($first['charts'] as $chart) {
            self::assertGreaterThan(290, $chart['width']);
            self::assertLessThan($width, $chart['width']);
            self::assertGreaterThan(120, $chart['height']);
            // The lists and the twin; the style is applied: its policy lets nothing else in.
            self::assertSame([7, 7, 1], [$chart['lines'], $chart['marks'], count($chart['colours'])]);
        }
    }

    #[Test]
    public function words_without_an_end_do_not_hang_over(): void
    {
        $long = str_repeat('x', 400);
        $results = PreloadResults::whole()->with('refused', [$long => $long])->with('ini', [$long => $long])->with('findings/9/pages_changed', [$long]);
        $seen = Browser::look('file://'.$this->report($results->json(machine: ['commit' => $long, 'cpu' => "<img src='https://example.com/{$long}'>"])), [['figures' => 'first']], 360);

        self::assertSame([[], [], 0, []], [$seen['errors'], $seen['elsewhere'], $seen['figures']['first']['overflow'], $seen['figures']['first']['outside']]);
    }

    #[Test]
    public function without_results_it_says_what_makes_them(): void
    {
        $process = self::made("{$this->directory->path}/nothing.json");

        self::assertSame([1, ''], [$process->getExitCode(), $process->getOutput()]);
        self::assertStringContainsString('make bench-preload', $process->getErrorOutput());
    }

    private function report(string $json): string
    {
        file_put_contents("{$this->directory->path}/results.json", $json);
        $process = self::made("{$this->directory->path}/results.json");
        self::assertSame([0, "{$this->directory->path}/results.html\n"], [$process->getExitCode(), $process->getOutput()], $process->getErrorOutput());

        return trim($process->getOutput());
    }

    private static function made(string $results): Process
    {
        $process = new Process([PHP_BINARY, dirname(__DIR__, 3).'/benchmarks/preload/report.php', $results]);
        $process->run();

        return $process;
    }
}
