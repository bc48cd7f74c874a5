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
 *
 * @phpstan-import-type Blocks from Browser
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
        $seen = Browser::look("file://{$page}", [['page' => 'first']], $width, $dark);
        $first = $seen['pages']['first'];

        self::assertSame([[], ["file://{$page}"]], [$seen['errors'], array_values(array_diff($seen['requests'], ['data:,']))]);
        self::assertSame([$background, 0, [], 0], [$first['background'], $first['overflow'], $first['faint'], $first['foreign']]);
        self::assertSame(['hello-requests-s', 'hello-response-time', 'slow-requests-s', 'slow-response-time', 'log-requests-s', 'log-response-time'], array_keys($first['figures']));

        foreach ($first['figures'] as $id => $chart) {
            $lines = array_filter($chart['drawn'], static fn (string $name): bool => str_starts_with($name, 'line '), ARRAY_FILTER_USE_KEY);
            self::assertSame(array_fill(0, str_ends_with($id, 'requests-s') ? 2 : 4, 10), array_map(count(...), array_values($lines)), $id);
            self::assertCount(1 + 10, $chart['rows']);
            self::assertGreaterThan(290, $chart['width']);
            self::assertLessThan($width, $chart['width']);
            // Something has the colours of lines.
            self::assertGreaterThan(300, $chart['ink']);
        }
    }

    #[Test]
    public function the_numbers_of_the_results_are_in_the_charts_and_tables(): void
    {
        $seen = $this->slowAndLost();
        $slow = $seen['figures']['slow-response-time'];

        self::assertSame([[[6, 77_777]], [[114, 10]]], [array_slice($slow['drawn']['line stack A, p95'], 0, 1), $seen['figures']['slow-requests-s']['drawn']['scatter errors']]);
        self::assertSame([[114, 10]], array_slice($seen['figures']['slow-requests-s']['drawn']['line stack A'], -1));
        self::assertSame(['6 s', '100', '2.00 s', '3.00 s', '9.00 s', '77.8 s', ''], $slow['rows'][1]);
        self::assertSame(['114 s', '1,000', '2.00 s', '3.00 s', '9.00 s', '13.5 s', 'stack A: 7 errors'], $slow['rows'][10]);
        self::assertSame(['100', '30.0', '0', '2.00 s', '3.00 s', '4.00 s', '1.0', '0', '9.00 s', '77.8 s', '88.9 s'], $seen['tables']['slow'][0][1]);
        self::assertSame(['2. A third party that takes two seconds 1,000 users', '300 half within 2.00 s, no errors', '10 half within 9.00 s, 7 errors'], $seen['tables']['end'][0][2]);
    }

    #[Test]
    public function an_aim_that_is_missed_is_told_first_and_where_it_was_measured(): void
    {
        $seen = $this->slowAndLost();

        self::assertSame([['missed', 'measured'], ['Acknowledged and not in the buffer Fast lane', '3 aim 0']], $seen['tables']['summary'][0]);
        self::assertSame('summary', array_key_first($seen['sections']));
        self::assertContains(['Acknowledged and not in the buffer', '#part-lane'], $seen['links']);
        self::assertSame(['Requests, lane / Laravel', "8.00x spread 12\u{a0}%, median of 9 rounds", '✓ reached aim ≥ 8.00x'], $seen['tables']['part-lane'][0][3]);
        self::assertSame(['Acknowledged and not in the buffer', '3', '✗ missed aim 0'], $seen['tables']['part-lane'][0][8]);
        self::assertSame(['alert', 'alert', 'plain'], [$seen['sections']['summary'], $seen['sections']['part-lane'], $seen['sections']['part-soak']]);
        self::assertSame(['lane', 'abc1234', '2026-01-02T03:04:05Z'], $seen['tables']['machines'][0][9]);
        self::assertStringContainsString('A processor', $seen['text']);
    }

    #[Test]
    public function a_run_of_some_parts_is_a_page_too(): void
    {
        $seen = Browser::look('file://'.$this->report(CollectorResults::whole()->without('figures', 'lane')->json(isQuick: true)), [['page' => 'first']], 360);

        self::assertSame([[], [], 0], [$seen['errors'], $seen['pages']['first']['figures'], $seen['pages']['first']['overflow']]);
        self::assertSame(['Collector benchmark', 'A quick run', 'Aims: 37 reached, 0 missed, 4 not measured', '1. Hello world', '2. A third party that takes two seconds', '3. Events into a search index'], array_slice($seen['pages']['first']['headings'], 0, 6));
    }

    #[Test]
    public function words_without_an_end_do_not_hang_over(): void
    {
        $long = str_repeat('x', 400);
        $seen = Browser::look('file://'.$this->report(CollectorResults::whole()->with('lane/machine', ['commit' => $long, 'cpu' => "<img src='https://example.com/{$long}'>"])->json()), [['page' => 'first']], 360);

        self::assertSame([[], [], 0, 0], [$seen['errors'], $seen['elsewhere'], $seen['pages']['first']['overflow'], $seen['pages']['first']['foreign']]);
        self::assertStringContainsString("<img src='https://example.com/xxx", $seen['pages']['first']['text']);
    }

    #[Test]
    public function without_results_it_says_what_makes_them(): void
    {
        $process = self::made("{$this->directory->path}/nothing.json");

        self::assertSame([1, ''], [$process->getExitCode(), $process->getOutput()]);
        self::assertStringContainsString('make bench-collector', $process->getErrorOutput());
    }

    /** @return Blocks of a run in which stack A is slow and the lane loses events */
    private function slowAndLost(): array
    {
        $results = CollectorResults::whole()->with('figures/figures/slow_a/0/p95_ms', 77_777.0)->with('figures/figures/slow_a/0/p99_ms', 88_888.0)->with('lane/result/lost', 3);

        return Browser::look('file://'.$this->report($results->json()), [['page' => 'first']])['pages']['first'];
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
