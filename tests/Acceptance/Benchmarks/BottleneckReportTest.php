<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Benchmarks;

use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Acceptance\Charts\Browser;
use Headroom\Tests\Support\BottleneckResults;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The report as somebody opens it: from the disk, in a browser.
 */
final class BottleneckReportTest extends TestCase
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
    public function every_stage_is_read_by_day_and_by_night_and_on_a_phone(int $width, bool $dark, string $background): void
    {
        $page = $this->report(BottleneckResults::whole()->json());
        $seen = Browser::look("file://{$page}", [['page' => 'first']], $width, $dark);
        $first = $seen['pages']['first'];

        self::assertSame([[], ["file://{$page}"]], [$seen['errors'], array_values(array_diff($seen['requests'], ['data:,']))]);
        self::assertSame([$background, 0, [], 0], [$first['background'], $first['overflow'], $first['faint'], $first['foreign']]);
        // The overview, and two of each stage.
        self::assertCount(2 + 2 * count(Stage::cases()), $first['figures']);

        foreach ($first['figures'] as $id => $figure) {
            self::assertGreaterThan(280, $figure['width'], $id);
            self::assertGreaterThan(100, $figure['ink'], $id);
        }
    }

    #[Test]
    public function the_table_leads_to_each_stage_whose_figures_are_drawn_and_told(): void
    {
        $seen = Browser::look('file://'.$this->report(BottleneckResults::whole()->json()), [['page' => 'first']])['pages']['first'];
        $times = $seen['figures']['persistent-response-time'];

        self::assertSame(array_map(static fn (Stage $stage): array => [$stage->title(), "#{$stage->value}"], Stage::cases()), $seen['links']);
        self::assertSame([], array_diff(array_column($seen['links'], 1), $seen['contents']));
        self::assertSame(['Baseline', '50.51 % article 50.51 %', '9,929 ms article 9,929 ms', '12,000 ms', '25', '88.0', '31 %', '✓ named redis-connections, flagged R1'], $seen['tables']['stages'][0][1]);
        self::assertSame([0.5051, 0.5051, 0.5051], array_slice($seen['figures']['errors']['drawn']['bar here'], 0, 3));
        self::assertSame([0.5051, null, 0.8486], array_slice($seen['figures']['errors']['drawn']['bar the article, other servers'], 0, 3));
        self::assertSame([[[0, 500], [1, 8000], [2, null]], [[1, 8000]]], [$times['drawn']['line mean'], $times['drawn']['scatter with failures']]);
        self::assertSame([['0 s', '500 ms', ''], ['1 s', '8.00 s', '3 of 3 failed'], ['2 s', '–', '']], array_slice($times['rows'], 1));
        self::assertSame([[[0.5, 20], [1.5, 25]], [[0.5, 96], [1.5, 80.5]]], array_values($seen['figures']['persistent-redis']['drawn']));
        self::assertStringContainsString('Requests wait for Redis <there>. After 21 s.', $seen['text']);
        self::assertSame([], array_keys($seen['sections'], 'alert', true));
    }

    #[Test]
    public function a_stage_at_which_the_doctor_was_wrong_stands_out(): void
    {
        $seen = Browser::look('file://'.$this->report(BottleneckResults::of(['right' => false, 'words' => str_repeat('x', 400)], false)->json()), [['page' => 'first']], 360)['pages']['first'];

        self::assertSame([['baseline', 'mended-baseline'], 0], [array_keys($seen['sections'], 'alert', true), $seen['overflow']]);
        self::assertStringContainsString('The doctor was wrong at: Baseline.', $seen['text']);
    }

    #[Test]
    public function without_results_it_says_what_makes_them(): void
    {
        $process = self::made("{$this->directory->path}/nothing.json");

        self::assertSame([1, ''], [$process->getExitCode(), $process->getOutput()]);
        self::assertStringContainsString('make bench-bottleneck', $process->getErrorOutput());
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
        $process = new Process([PHP_BINARY, dirname(__DIR__, 3).'/benchmarks/bottleneck/report.php', $results]);
        $process->run();

        return $process;
    }
}
