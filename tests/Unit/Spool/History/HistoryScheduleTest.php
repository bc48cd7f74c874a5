<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\History;

use Closure;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\History\HistoryFile;
use Headroom\Spool\History\HistoryMinute;
use Headroom\Spool\History\HistoryRecorder;
use Headroom\Tests\Laravel\Support\SteppingClock;
use PHPUnit\Framework\Attributes\Test;

/**
 * When flushes observe a bucket, and when they write.
 */
final class HistoryScheduleTest extends HistoryTestCase
{
    private SteppingClock $clock;

    private int $counted = 0;

    private int $countMicros = 0;

    private bool $isFailing = false;

    /** @var ?Closure(): void while a bucket is counted */
    private ?Closure $during = null;

    protected function setUp(): void
    {
        parent::setUp();
        $this->clock = new SteppingClock;
        $this->clock->sleep(60_000_000 - $this->clock->micros() % 60_000_000);
    }

    #[Test]
    public function idle_flushes_observe_once_a_minute_and_write_nothing_else(): void
    {
        $worker = $this->recorder();
        $scheduled = $this->recorder();
        $worker->observe('events');
        $before = $this->content();

        for ($flush = 0; $flush < 50; $flush++) {
            $worker->observe('events');
            $worker->flushed('events', 0, null);
            $scheduled->observe('events');
            $scheduled->flushed('events', 0, null);
            $this->clock->sleep(1_000_000);
        }

        self::assertSame([1, $before], [$this->counted, $this->content()]);
        $this->clock->sleep(10_000_000);
        $scheduled->observe('events');
        $worker->observe('events');
        self::assertSame(2, $this->counted);
        self::assertSame(
            [1, 2],
            array_column($this->history->minutes($this->minute() - 1, $this->minute()), 'pending'),
        );
    }

    #[Test]
    public function a_flush_adds_its_batches_and_its_failure_to_the_minute(): void
    {
        $recorder = $this->recorder();
        $recorder->batch('events', 1_000, 5_000_000);
        $recorder->batch('events', 10, 9_000_000);
        $recorder->flushed('events', 1, 'The disk is full.');
        $seen = $this->history->minutes($this->minute(), $this->minute())[$this->minute()];

        self::assertSame([1, 1, 2, 1_010, 1_000, 14_000, 9_000], [
            $seen->flushes, $seen->failed, $seen->batches, $seen->events, $seen->largestBatch, $seen->deliveryMicros,
            $seen->slowestMicros,
        ]);
        self::assertSame('The disk is full.', $this->history->failures()[0]->message);
    }

    #[Test]
    public function a_worker_writes_once_a_second_and_its_end_writes_the_rest(): void
    {
        $recorder = $this->recorder();

        for ($flush = 0; $flush < 25; $flush++) {
            $recorder->batch('events', 1, 1_000);
            $recorder->flushed('events', 1, null);
            $this->clock->sleep(100_000);
        }

        self::assertSame(21, array_sum($this->events($this->minute())));
        $recorder->finish();
        self::assertSame(25, array_sum($this->events($this->minute())));
        $recorder->finish();
        self::assertSame(25, array_sum($this->events($this->minute())));
    }

    #[Test]
    public function a_flush_that_ends_just_after_a_new_minute_loses_no_batch(): void
    {
        $recorder = $this->recorder();
        $recorder->batch('events', 7, 1_000);
        $this->clock->sleep(60_000_000);
        $recorder->batch('events', 8, 1_000);
        $recorder->flushed('events', 1, null);

        self::assertSame([7, 8], array_values($this->events($this->minute() - 1)));
    }

    #[Test]
    public function slow_counting_takes_a_hundredth_of_the_time_over_all_processes(): void
    {
        $this->countMicros = 3_000_000;
        $start = $this->clock->micros();

        for ($minute = 0; $minute < 60; $minute++) {
            $this->recorder()->observe('events');
            $this->clock->sleep(60_000_000);
        }

        $share = $this->counted * $this->countMicros / ($this->clock->micros() - $start);
        self::assertGreaterThan(5, $this->counted);
        self::assertLessThanOrEqual(0.011, $share);
    }

    #[Test]
    public function no_second_process_counts_while_one_counts_slowly(): void
    {
        $this->countMicros = 3_000_000;
        $this->recorder()->observe('events');
        $this->clock->sleep(600_000_000);
        $this->during = fn () => $this->recorder()->observe('events');
        $this->recorder()->observe('events');

        self::assertSame(2, $this->counted);
    }

    #[Test]
    public function counting_that_fails_slowly_is_not_tried_more_often(): void
    {
        [$this->countMicros, $this->isFailing] = [3_000_000, true];

        for ($minute = 0; $minute < 20; $minute++) {
            $this->recorder()->observe('events');
            $this->clock->sleep(60_000_000);
        }

        self::assertLessThanOrEqual(4, $this->counted);
        self::assertGreaterThanOrEqual(2, $this->counted);
    }

    #[Test]
    public function slow_counting_before_the_clock_was_set_back_stops_no_later_one(): void
    {
        $this->countMicros = 300_000_000;
        $this->recorder()->observe('events');
        $this->clock->sleep(-86_400_000_000);
        $this->countMicros = 0;
        $this->recorder()->observe('events');
        self::assertSame(2, $this->counted);
        self::assertSame([2], array_column($this->history->minutes($this->minute(), $this->minute()), 'pending'));
    }

    #[Test]
    public function a_process_that_holds_the_lock_stops_no_flush_for_long(): void
    {
        $this->add(new HistoryMinute($this->minute(), events: 1));
        $file = fopen($this->history->path, 'r+');
        self::assertIsResource($file);
        self::assertTrue(flock($file, LOCK_EX));
        $recorder = $this->recorder();
        $before = $this->clock->micros();
        $recorder->observe('events');
        $recorder->batch('events', 4, 1_000);
        $recorder->flushed('events', 1, 'It failed.');

        self::assertLessThan(20_000, $this->clock->micros() - $before);
        fclose($file);
        self::assertSame([1], array_values($this->events($this->minute())));
    }

    private function recorder(): HistoryRecorder
    {
        return new HistoryRecorder(
            fn (): HistoryFile => $this->history,
            function (string $bucket, int $minute): HistoryMinute {
                $this->counted++;
                [$during, $this->during] = [$this->during, null];
                $during?->__invoke();
                $this->clock->sleep($this->countMicros);

                return $this->isFailing
                    ? throw StorageUnavailable::notOnDisk('planned')
                    : new HistoryMinute($minute, 5, 4, 0, 0, $this->counted);
            },
            $this->clock,
        );
    }

    private function minute(): int
    {
        return intdiv($this->clock->micros(), 60_000_000);
    }
}
