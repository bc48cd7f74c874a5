<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\History;

use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\History\HistoryFile;
use Headroom\Spool\History\HistoryMinute;
use Headroom\Spool\History\HistoryRecorder;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;

/**
 * When a process counts a bucket, and when it writes.
 */
final class HistoryRecorderTest extends DirectoryTestCase
{
    private const SECOND = 1_000_000;

    private ManualClock $clock;

    private int $counted = 0;

    private int $countMicros = 0;

    private bool $isUnreadable = false;

    protected function setUp(): void
    {
        parent::setUp();
        mkdir($this->directory->file('buckets/events'), recursive: true);
        $this->clock = new ManualClock;
        $this->clock->sleep(100 * 60 * self::SECOND);
    }

    #[Test]
    public function many_small_flushes_in_a_second_are_written_once_or_twice(): void
    {
        $recorder = $this->recorder();
        $writes = 0;
        $seen = '';

        for ($i = 0; $i < 50; $i++) {
            $recorder->observe('events');
            $recorder->batch('events', 2, 1_000_000);
            $recorder->flushed('events', 1, null);
            $this->clock->sleep(20_000);
            $now = (string) file_get_contents($this->path());
            $writes += $now === $seen ? 0 : 1;
            $seen = $now;
        }

        self::assertLessThanOrEqual(2, $writes);
        self::assertSame(1, $this->counted);
        $this->clock->sleep(self::SECOND);
        $recorder->flushed('events', 0, null);
        $minute = $this->minutes()[100];
        self::assertSame([50, 100, 2, 50_000, 1_000], [
            $minute->batches, $minute->events, $minute->largestBatch, $minute->deliveryMicros, $minute->slowestMicros,
        ]);
    }

    #[Test]
    public function idle_flushes_write_once_in_a_minute(): void
    {
        $recorder = $this->recorder();
        $writes = 0;
        $seen = '';

        for ($i = 0; $i < 300; $i++) {
            $recorder->observe('events');
            $recorder->flushed('events', 0, null);
            $this->clock->sleep(self::SECOND);
            $now = (string) file_get_contents($this->path());
            $writes += $now === $seen ? 0 : 1;
            $seen = $now;
        }

        self::assertSame([5, 5], [$writes, $this->counted]);
        self::assertSame([100, 101, 102, 103, 104], array_keys($this->minutes()));
    }

    #[Test]
    public function one_process_of_many_counts_in_a_minute(): void
    {
        for ($i = 0; $i < 10; $i++) {
            $this->recorder()->observe('events');
        }

        self::assertSame(1, $this->counted);
    }

    #[Test]
    public function counting_takes_at_most_one_hundredth_of_the_time(): void
    {
        $this->countMicros = 3 * self::SECOND;

        for ($i = 0; $i < 30; $i++) {
            $this->recorder()->observe('events');
            $this->clock->sleep(60 * self::SECOND);
        }

        self::assertGreaterThanOrEqual(5, $this->counted);
        self::assertLessThanOrEqual(6, $this->counted);
    }

    #[Test]
    public function a_long_flush_is_recorded_in_each_of_its_minutes(): void
    {
        $recorder = $this->recorder();
        $recorder->observe('events');

        for ($i = 0; $i < 12; $i++) {
            $this->clock->sleep(30 * self::SECOND);
            $recorder->batch('events', 10, 1_000);
        }

        $recorder->flushed('events', 1, null);
        $seen = array_map(static fn (HistoryMinute $minute): int => $minute->events, $this->minutes());
        self::assertSame([100 => 10, 101 => 20, 102 => 20, 103 => 20, 104 => 20, 105 => 20, 106 => 10], $seen);
        self::assertSame(7, $this->counted);
    }

    #[Test]
    public function a_failure_is_written_at_once(): void
    {
        $recorder = $this->recorder();
        $recorder->flushed('events', 1, null);
        $recorder->flushed('events', 0, 'The sink is down.');
        $recorder->flushed('events', 0, 'The sink is down.');

        self::assertSame([3, 2], [$this->minutes()[100]->flushes, $this->minutes()[100]->failed]);
        self::assertSame(2, $this->history()->failures()[0]->times);
    }

    #[Test]
    public function a_bucket_that_cannot_be_counted_keeps_what_flushes_did(): void
    {
        $this->isUnreadable = true;
        $recorder = $this->recorder();
        $recorder->observe('events');
        $recorder->batch('events', 4, 1_000);
        $recorder->flushed('events', 1, null);

        self::assertSame([null, 4], [$this->minutes()[100]->pending, $this->minutes()[100]->events]);
    }

    #[Test]
    public function nothing_it_meets_reaches_the_flush(): void
    {
        $recorder = new HistoryRecorder(
            static fn (): HistoryFile => throw new RuntimeException('No file.'),
            static fn (): HistoryMinute => throw new RuntimeException('No count.'),
            $this->clock,
        );
        $recorder->observe('events');
        $recorder->batch('events', 1, 1);
        $recorder->flushed('events', 1, 'A failure.');

        self::assertSame(0, $this->counted);
    }

    #[Test]
    public function without_a_directory_of_the_bucket_nothing_is_created(): void
    {
        rmdir($this->directory->file('buckets/events'));
        $recorder = $this->recorder();
        $recorder->observe('events');
        $recorder->flushed('events', 1, 'A failure.');

        self::assertSame([false, 0], [is_dir($this->directory->file('buckets/events')), $this->counted]);
    }

    private function recorder(): HistoryRecorder
    {
        return new HistoryRecorder(
            fn (): HistoryFile => $this->history(),
            function (string $bucket, int $minute): ?HistoryMinute {
                $this->counted++;
                $this->clock->sleep($this->countMicros);

                return $this->isUnreadable ? null : new HistoryMinute($minute, 9, 7, 0, 0, 2, 500, usedBytes: 100);
            },
            $this->clock,
        );
    }

    /** @return array<int, HistoryMinute> */
    private function minutes(): array
    {
        return $this->history()->minutes(1, 1_000);
    }

    private function history(): HistoryFile
    {
        return HistoryFile::of(new Layout($this->directory->path, 'events'), new Permissions);
    }

    private function path(): string
    {
        return $this->directory->file('buckets/events/history');
    }
}
