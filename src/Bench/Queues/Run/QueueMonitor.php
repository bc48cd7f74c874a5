<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Headroom\Bench\Queues\DriverUnderTest;
use Headroom\Core\Clock;

/**
 * Observes the run at little cost to the workers: sizes of files, and twice a second the depth of the queue.
 *
 * @internal
 */
final class QueueMonitor
{
    private const POLL_MICROS = 10_000;

    private const SAMPLE_NANOS = 500_000_000;

    /** A queue that is slow to count is counted less often: counting takes at most this part of the time. */
    private const SAMPLE_SHARE = 20;

    /** After this time without a completed job, the run ends. */
    private const STALLED_SECONDS = 20;

    /** Jobs in the queue at the end of the run. */
    public int $left = 0;

    /** @var list<array{float, int}> */
    private array $depth = [];

    private int $nextSample;

    private int $pushed = 0;

    private int $seen = 0;

    private int $progress;

    public function __construct(
        private readonly DriverUnderTest $underTest,
        private readonly int $jobs,
        private readonly WorkerPool $workers,
        private readonly JobRecordFiles $records,
        private readonly Clock $clock,
        private readonly int $released,
    ) {
        $this->progress = $released;
        $this->nextSample = $released;
        $this->pushed = $underTest->variant->workload->arrivals === null ? $jobs : 0;
    }

    /** @return list<array{float, int}> seconds since the release, and the size of the queue */
    public function untilDone(): array
    {
        while (! $this->isDone()) {
            $this->push();
            $this->sample();
            $this->clock->sleep(self::POLL_MICROS);
        }

        $this->settle();

        return $this->depth;
    }

    private function isDone(): bool
    {
        $now = $this->clock->monotonicNanos();
        $count = $this->records->count();

        if ($count > $this->seen) {
            $this->seen = $count;
            $this->progress = $now;
        }

        $wanted = $this->underTest->variant->workload->counted ?? $this->jobs;

        return match (true) {
            $this->pushed < $this->jobs => false,
            // A job that ran twice counts once.
            $count >= $wanted => JobLedger::of($this->records->read())->jobs() >= $wanted || $this->isStalled($now),
            default => $this->isStalled($now),
        };
    }

    private function isStalled(int $now): bool
    {
        $patience = self::STALLED_SECONDS + $this->underTest->variant->workload->settling();

        return $now - $this->progress > $patience * 1_000_000_000 || ! $this->workers->isWorking();
    }

    /** Pushes the jobs that are due by now, if they arrive one by one. */
    private function push(): void
    {
        $rate = $this->underTest->variant->workload->arrivals;

        while (
            $rate !== null
            && $this->pushed < $this->jobs
            && $this->clock->monotonicNanos() >= $this->released + (int) ($this->pushed / $rate * 1_000_000_000)
        ) {
            $this->underTest->driver->push($this->pushed++, 1, $this->underTest->variant->workload);
            $this->progress = $this->clock->monotonicNanos();
        }
    }

    private function sample(): void
    {
        $from = $this->clock->monotonicNanos();

        if ($from < $this->nextSample) {
            return;
        }

        $this->depth[] = [($from - $this->released) / 1_000_000_000, $this->underTest->driver->size()];
        $to = $this->clock->monotonicNanos();
        $this->nextSample = max($this->nextSample + self::SAMPLE_NANOS, $to + ($to - $from) * self::SAMPLE_SHARE);
    }

    /** Waits for jobs that run again. */
    private function settle(): void
    {
        $now = $this->clock->monotonicNanos();
        $until = $now + (int) ($this->underTest->variant->workload->settling() * 1_000_000_000);

        // An empty queue does not shorten this: a worker may still run a job that another one has completed.
        while ($this->clock->monotonicNanos() < $until) {
            $this->clock->sleep(self::POLL_MICROS);
        }

        // The depth at the end of the run; workers have completed nothing since.
        $this->depth[] = [($now - $this->released) / 1_000_000_000, $this->left()];
    }

    private function left(): int
    {
        return $this->left = $this->underTest->driver->size();
    }
}
