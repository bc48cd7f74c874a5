<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Benchmarks;

use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Acceptance\Charts\Browser;
use Headroom\Tests\Support\CollectorResults;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The report as somebody opens it: from the disk, in a browser.
 */
final class CollectorReportTest extends TestCase
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
    #[TestWith([360, false, 'rgb(246, 247, 249)'])]
    #[TestWith([360, true, 'rgb(18, 21, 27)'])]
    public function the_charts_are_there_by_day_and_by_night_and_on_a_phone(int $width, bool $dark, string $background): void
    {
        $page = $this->report(CollectorResults::whole()->json());
        $seen = Browser::look("file://{$page}", [['figures' => 'first']], $width, $dark);
        $first = $seen['figures']['first'];

        self::assertSame([[], ["file://{$page}"]], [$seen['errors'], array_values(array_diff($seen['requests'], ['data:,']))]);
        self::assertSame([$background, 0, []], [$first['background'], $first['overflow'], $first['outside']]);
        self::assertCount(6, $first['charts']);

        foreach ($first['charts'] as $chart) {
            $lines = str_starts_with($chart['name'], 'Requests/s') ? 2 : 4;
            self::assertGreaterThan(290, $chart['width']);
            self::assertLessThan($width, $chart['width']);
            self::assertGreaterThan(150, $chart['height']);
            self::assertSame([$lines, 10 * $lines, 10], [$chart['lines'], $chart['marks'], $chart['rows']]);
            // The style is applied: its policy lets nothing else in.
            self::assertCount(2, $chart['colours']);
        }
    }

    #[Test]
    public function a_run_of_some_parts_is_a_page_too(): void
    {
        $seen = Browser::look('file://'.$this->report(CollectorResults::whole()->without('figures', 'lane')->json(isQuick: true)), [['figures' => 'first']], 360);

        self::assertSame([[], [], 0], [$seen['errors'], $seen['figures']['first']['charts'], $seen['figures']['first']['overflow']]);
        self::assertSame(['Collector benchmark', 'Aims: 27 reached, 0 missed, 4 not measured', '1. Hello world', '2. A third party that takes two seconds', '3. Events into a search index'], array_slice($seen['figures']['first']['headings'], 0, 5));
    }

    #[Test]
    public function words_without_an_end_do_not_hang_over(): void
    {
        $long = str_repeat('x', 400);
        $seen = Browser::look('file://'.$this->report(CollectorResults::whole()->with('lane/machine', ['commit' => $long, 'cpu' => "<img src='https://example.com/{$long}'>"])->json()), [['figures' => 'first']], 360);

        self::assertSame([[], [], 0, []], [$seen['errors'], $seen['elsewhere'], $seen['figures']['first']['overflow'], $seen['figures']['first']['outside']]);
    }

    #[Test]
    public function without_results_it_says_what_makes_them(): void
    {
        $process = self::made("{$this->directory->path}/nothing.json");

        self::assertSame([1, ''], [$process->getExitCode(), $process->getOutput()]);
        self::assertStringContainsString('make bench-collector', $process->getErrorOutput());
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
        $process = new Process([PHP_BINARY, dirname(__DIR__, 3).'/benchmarks/collector/report.php', $results]);
        $process->run();

        return $process;
    }
}
