<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\PauseCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\VerifyCommand;
use Headroom\Console\Spool\WorkCommand;
use Headroom\Spool\Health\Health;
use Headroom\Spool\History\HistoryMinute;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The history that real flushes write.
 */
final class HistoryTest extends TestCase
{
    private const MINUTE = 60_000_000;

    private Spool $spool;

    private ManualClock $clock;

    protected function setUp(): void
    {
        $this->spool = new Spool;
        $this->clock = new ManualClock;
        $this->clock->sleep(1_800_000_000_000_000);
    }

    protected function tearDown(): void
    {
        $this->spool->remove();
    }

    #[Test]
    public function requests_write_nothing_and_a_flush_writes_the_waiting_events_and_its_batches(): void
    {
        $this->spool->buckets['api-events'] = ['sink' => 'database', 'table' => 'api_events', 'batch' => 10];
        $this->spool->add(25);
        self::assertFileDoesNotExist($this->path());

        $this->flush();
        $this->spool->add(5);
        $this->clock->sleep(self::MINUTE);
        $this->flush();

        [$first, $second] = array_values($this->minutes());
        self::assertSame([25, 25, 25, 3, 25, 10, 1], [
            $first->accepted, $first->delivered, $first->pending, $first->batches, $first->events,
            $first->largestBatch, $first->flushes,
        ]);
        self::assertSame([30, 30, 5, 1, 5], [
            $second->accepted, $second->delivered, $second->pending, $second->batches, $second->events,
        ]);
        self::assertNotNull($first->oldestMilliseconds);
        self::assertNotNull($first->usedBytes);
    }

    #[Test]
    public function an_outage_is_observed_in_each_minute_and_its_failure_is_kept(): void
    {
        $this->spool->add(3);
        $this->spool->database()->statement('alter table api_events rename to elsewhere');

        for ($minute = 0; $minute < 6; $minute++) {
            $this->flush();
            $this->spool->add(2);
            $this->clock->sleep(self::MINUTE);
        }

        $seen = array_values($this->minutes());
        self::assertSame([3, 5, 7, 9, 11, 13], array_map(static fn (HistoryMinute $one): ?int => $one->pending, $seen));
        self::assertSame(0, array_sum(array_map(static fn (HistoryMinute $one): int => $one->events, $seen)));
        self::assertGreaterThan(0, array_sum(array_map(static fn (HistoryMinute $one): int => $one->failed, $seen)));
        $failures = $this->spool->runtime($this->clock)->historyOf('api-events')->failures();
        self::assertStringContainsString('api_events', $failures[0]->message);
    }

    #[Test]
    public function a_paused_bucket_is_still_observed(): void
    {
        $this->spool->add(3);
        $this->spool->run(PauseCommand::class, ['bucket' => 'api-events']);
        $this->flush();

        self::assertSame([3], array_map(
            static fn (HistoryMinute $one): ?int => $one->pending,
            array_values($this->minutes()),
        ));
    }

    #[Test]
    public function a_worker_records_as_a_flush_does(): void
    {
        $this->spool->add(7);
        $this->spool->run(WorkCommand::class, ['--stop-when-empty' => true], $this->spool->runtime($this->clock));

        self::assertSame(7, array_sum(array_map(
            static fn (HistoryMinute $one): int => $one->events,
            $this->minutes(),
        )));
    }

    #[Test]
    public function without_an_event_nothing_is_created(): void
    {
        $this->flush();

        self::assertDirectoryDoesNotExist($this->spool->path);
    }

    #[Test]
    public function no_command_takes_the_file_for_damage(): void
    {
        $this->spool->add(3);
        $this->flush();
        self::assertFileExists($this->path());

        self::assertSame(0, $this->spool->run(StatusCommand::class)->exit);
        $verified = $this->spool->run(VerifyCommand::class);
        self::assertSame([0, ''], [$verified->exit, $verified->err]);
        self::assertSame([], (new Health($this->spool->runtime()))->store());
    }

    private function flush(): void
    {
        $this->spool->run(FlushCommand::class, runtime: $this->spool->runtime($this->clock));
    }

    /** @return array<int, HistoryMinute> */
    private function minutes(): array
    {
        $now = intdiv($this->clock->micros(), self::MINUTE);

        return $this->spool->runtime($this->clock)->historyOf('api-events')->minutes($now - 100, $now);
    }

    private function path(): string
    {
        return "{$this->spool->path}/buckets/api-events/history";
    }
}
