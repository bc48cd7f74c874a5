<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Core\SystemClock;
use Headroom\Tests\Acceptance\Charts\Browser;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;

/**
 * The report in one file about a scenario, a log and several processes, as a browser shows it.
 *
 * @phpstan-import-type Report from Browser
 */
#[RequiresPhpExtension('posix')]
final class ReportPageTest extends LoadCommandTestCase
{
    #[Test]
    #[Group('proof')]
    public function each_step_of_a_scenario_has_its_line(): void
    {
        $file = $this->directory->write('buying.json', json_encode(['steps' => [
            ['name' => 'look around, without any hurry at all, <b>first</b>', 'path' => '/slow/5'],
            ['name' => 'buy', 'path' => '/status/503'],
            ['name' => 'leave', 'path' => '/ok'],
        ]], JSON_THROW_ON_ERROR));
        $report = $this->report("--scenario={$file}", '--requests=6', '--processes=2', '--concurrency=2');
        $lines = $report['rows']['steps'];

        self::assertSame(
            ['look around, without any hurry at all, <b>first</b>', '6', '6', '0', '0'],
            array_slice($lines[0], 0, 5),
        );
        self::assertSame(['buy', '6', '0', '6', '0'], array_slice($lines[1], 0, 5));
        self::assertSame(['leave', '0', '0', '0', '0', '–', '–', '–', '–', '–', ''], $lines[2]);
        self::assertMatchesRegularExpression('/\b503: 6$/', $lines[1][10]);
        self::assertGreaterThanOrEqual(5.0, (float) $lines[0][6]);
        self::assertMatchesRegularExpression('/\b6\D+\b0\D+\b6\D+\b0\s/', $report['text']);
        self::assertMatchesRegularExpression('/processes\s*2\s/', $report['text']);
        self::assertMatchesRegularExpression("~\bbuying\.json\b.*\b\Q{$this->server->url('')}\E~", $report['what']);
        self::assertStringNotContainsString('null', $report['text']);
    }

    #[Test, Group('day-1')]
    public function lines_of_a_replayed_log_are_counted(): void
    {
        $lines = array_map(
            static fn (string $request): string
                => "192.0.2.1 - - [17/May/2015:10:05:00 +0000] \"{$request}\" 200 5 \"-\" \"x\"",
            ['GET /a HTTP/1.1', 'GET /b HTTP/1.1', 'POST /c HTTP/1.1', 'DELETE /d HTTP/1.1', 'POST /e HTTP/1.1'],
        );
        $log = $this->directory->write('access.log', implode("\n", [...$lines, 'rubbish', ''])."\n");
        $report = $this->report("--replay={$log}", '--speed=max', '--concurrency=1');
        $rows = $report['rows']['replay'];
        sort($rows);

        self::assertSame(
            [['DELETE', '1'], ['POST', '2']],
            array_map(static fn (array $row): array => [$row[0], $row[2]], array_slice($rows, 0, 2)),
        );
        self::assertSame(['1', '2', '1', '1'], array_column($rows, 2));
        self::assertMatchesRegularExpression('/\b7\D+GET\D+HEAD\D+\b2\D+\b3\D+\b2\s/', $report['text']);
        self::assertMatchesRegularExpression('/speed\s*as fast as possible\s/', $report['text']);
        self::assertStringNotContainsString('null', $report['text']);
        self::assertArrayNotHasKey('steps', $report['rows']);
    }

    #[Test]
    #[Group('proof')]
    public function requests_of_a_lost_process_are_said_to_be_missing(): void
    {
        $page = $this->directory->file('report.html');
        $process = Headroom::process(
            $this->server->url('/slow/20'),
            '--processes=2',
            '--concurrency=4',
            '--duration=2.5',
            "--output={$page}",
        );
        $process->start();
        $this->awaitRequests(20);
        $children = explode(
            ' ',
            trim((string) file_get_contents("/proc/{$process->getPid()}/task/{$process->getPid()}/children")),
        );
        posix_kill((int) $children[1], 9);
        $process->wait();
        $report = Browser::look("file://{$page}", [['await' => 'canvas'], ['report' => 'seen']])['reports']['seen'];

        self::assertMatchesRegularExpression('/\b2\b\D+\b9\./', $report['text']);
        self::assertMatchesRegularExpression('/processes\s*2\s\D*\b1\s/', $report['text']);
    }

    /**
     * On three screens: wide in light and dark, and a telephone's.
     *
     * @return Report that of the wide one
     */
    private function report(string ...$options): array
    {
        $page = $this->directory->file('report.html');
        $process = Headroom::load($this->server->url(''), "--output={$page}", ...array_values($options));
        self::assertFileExists($page, $process->getErrorOutput());
        $pictures = getenv('HEADROOM_PICTURES');
        $picture = fn (string $kind): array
            => $pictures === false ? [] : [['picture' => "{$pictures}/{$this->name()}-{$kind}.png"]];
        $wide = Browser::look("file://{$page}", [
            ['await' => 'canvas'],
            ['report' => 'light'],
            ...$picture('light'),
            ['dark' => true],
            ['report' => 'dark'],
            ...$picture('dark'),
        ]);
        $narrow = Browser::look(
            "file://{$page}",
            [['await' => 'canvas'], ['report' => 'narrow'], ...$picture('narrow')],
            360,
        );

        self::assertSame([[], [], []], [$wide['errors'], $wide['elsewhere'], $narrow['errors']]);
        self::assertSame(
            [0, 0, 0],
            [
                $wide['reports']['light']['overflow'],
                $wide['reports']['light']['foreign'],
                $narrow['reports']['narrow']['overflow'],
            ],
        );
        self::assertSame($wide['reports']['light']['rows'], $wide['reports']['dark']['rows']);
        self::assertSame($wide['reports']['light']['rows'], $narrow['reports']['narrow']['rows']);

        return $wide['reports']['light'];
    }

    private function awaitRequests(int $count): void
    {
        $clock = new SystemClock;

        for ($i = 0; $i < 3_000 && count($this->server->requests()) < $count; $i++) {
            $clock->sleep(10_000);
        }
    }
}
