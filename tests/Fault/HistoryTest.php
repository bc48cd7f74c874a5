<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\History\FlushFailureRecord;
use Headroom\Spool\History\HistoryFile;
use Headroom\Spool\History\HistoryMinute;
use Headroom\Spool\Store\State\RetryState;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Child;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\Historian;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * The history of a bucket while many processes write it, any of them may die, and its place holds something else.
 */
final class HistoryTest extends FaultTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->world->append(['first']);
    }

    #[Test]
    public function many_processes_record_at_once_and_no_record_is_lost_or_torn(): void
    {
        $children = array_map(fn (): Child => $this->child('record', ['200']), [1, 2, 3, 4]);

        foreach ($children as $child) {
            $child->result();
        }

        self::assertSame([400, 400], $this->flushes());
        self::assertCount(HistoryFile::FAILURES, Historian::file($this->world)->failures());
    }

    #[Test]
    public function a_kill_at_any_moment_costs_at_most_the_record_under_way(): void
    {
        $clock = new SystemClock;
        [$killed, $acknowledged] = [0, 0];

        for ($round = 0; $round < 8; $round++) {
            $children = array_map(
                fn (int $n): Child => $this->child('record until killed', ["{$round}-{$n}"]),
                [1, 2, 3],
            );

            foreach ($children as $n => $child) {
                while ($this->acknowledged("{$round}-".($n + 1)) < 20 * ($n + 1)) {
                    self::assertTrue($child->isRunning());
                    $clock->sleep(500);
                }

                $child->kill();
                $killed++;
            }

            $acknowledged += array_sum(array_map(
                fn (int $n): int => $this->acknowledged("{$round}-{$n}"),
                [1, 2, 3],
            ));
        }

        self::assertGreaterThanOrEqual($acknowledged, array_sum($this->flushes()));
        self::assertLessThanOrEqual($acknowledged + $killed, array_sum($this->flushes()));
        $this->child('record', ['2'])->result();
        self::assertCount(2, $this->flushes());
    }

    #[Test]
    public function a_flush_that_finds_the_bucket_busy_observes_what_waits(): void
    {
        $flush = $this->child('flush', points: ['delivery.committed' => Act::Wait]);
        $flush->awaitPoint('delivery.committed');
        $this->world->append(['second', 'third']);
        $report = $this->flushNow();
        self::assertTrue($report->busy);

        $minutes = $this->minutes();
        self::assertGreaterThanOrEqual(2, $minutes[0]->pending);
        self::assertSame([3, 0, 0], [$minutes[0]->accepted, $minutes[0]->flushes, $minutes[0]->events]);
        $flush->goOn();
        $flush->result();
    }

    #[Test]
    public function a_bucket_that_waits_after_a_failure_is_observed_and_its_failure_stays(): void
    {
        $this->world->database()->statement('drop table events');
        self::assertNotNull($this->flushNow()->failure);
        $this->world->append(['second']);
        unlink($this->world->layout()->historyFile());
        self::assertInstanceOf(RetryState::class, $this->flushNow(new FlushOptions)->waiting);
        self::assertSame(2, $this->minutes()[0]->pending);

        $failure = (string) $this->flushNow()->reason();
        self::assertSame(
            [substr($failure, 0, 100)],
            array_map(
                static fn (FlushFailureRecord $seen): string => substr($seen->message, 0, 100),
                Historian::file($this->world)->failures(),
            ),
        );
        self::assertSame([1, 1], [$this->minutes()[0]->flushes, $this->minutes()[0]->failed]);
    }

    #[Test]
    #[TestWith(['link'])]
    #[TestWith(['directory'])]
    #[TestWith(['garbage'])]
    #[TestWith(['no access'])]
    public function no_file_in_the_place_of_the_history_makes_a_flush_fail(string $kind): void
    {
        $path = $this->world->layout()->historyFile();
        $elsewhere = "{$this->world->directory}/elsewhere";
        file_put_contents($elsewhere, 'of another program');

        match ($kind) {
            'link' => symlink($elsewhere, $path),
            'directory' => mkdir($path),
            'garbage' => file_put_contents($path, random_bytes(5_000)),
            'no access' => touch($path) && chmod($path, 0),
            default => self::fail($kind),
        };

        $report = $this->flushNow();
        self::assertSame([null, 1], [$report->failure, $report->delivered]);
        self::assertSame('of another program', file_get_contents($elsewhere));
        $this->assertDeliveredOnce(['first']);
    }

    #[Test]
    public function retiring_a_bucket_removes_its_history(): void
    {
        self::assertNull($this->flushNow()->failure);
        self::assertFileExists($this->world->layout()->historyFile());
        self::assertSame('retired', $this->world->runtime()->stores()->retire('events')->value);
        self::assertFileDoesNotExist($this->world->layout()->historyFile());
    }

    private function flushNow(FlushOptions $options = new FlushOptions(now: true)): FlushReport
    {
        return $this->world->runtime()->flush('events', $options);
    }

    /** @return list<HistoryMinute> of the last minutes, the newest first */
    private function minutes(): array
    {
        $now = intdiv((new SystemClock)->micros(), 60_000_000);

        return array_reverse(array_values(Historian::file($this->world)->minutes($now - 5, $now)));
    }

    /** @return list<int> of the minutes that the children write */
    private function flushes(): array
    {
        $minutes = Historian::file($this->world)->minutes(Historian::MINUTE, Historian::MINUTE + 1);

        foreach ($minutes as $minute) {
            self::assertSame([3 * $minute->flushes, 3], [$minute->events, $minute->largestBatch]);
        }

        return array_map(static fn (HistoryMinute $minute): int => $minute->flushes, array_values($minutes));
    }

    private function acknowledged(string $name): int
    {
        clearstatcache();

        return (int) @filesize("{$this->world->directory}/{$name}.ack");
    }
}
