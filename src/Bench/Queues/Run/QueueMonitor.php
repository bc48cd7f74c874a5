<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Headroom\Bench\Queues\Crew;
use Headroom\Bench\Queues\DriverUnderTest;
use Headroom\Core\Clock;

/**
 * Looks on while workers work, and costs them as little as it can: sizes of files,
 * and twice a second the depth of the queue.
 *
 * @internal
 */
final class QueueMonitor
{
    private const POLL_MICROS = 10_000;

    private const SAMPLE_NANOS = 500_000_000;

    /** A queue that takes long to count is asked less often: at most one part in so many of the time. */
    private const SAMPLE_SHARE = 20;

    /** Without any job done for so long, the rest is not waited for. */
    private const STALLED_SECONDS = 20;

    /** Jobs in the queue after the last one was done, or those that are left when nothing is done any more. */
    public int $left = 0;

    /** @var list<array{float, int}> */
    private array $depth = [];

    private int $nextSample;

    private int $pushed = 0;

    private int $seen = 0;

    private int $progress;

    public function __construct(
        private readonly DriverUnderTest $contender,
        private readonly int $jobs,
        private readonly Crew $crew,
        private readonly StampFiles $stamps,
        private readonly Clock $clock,
        private readonly int $released,
    ) {
        $this->progress = $released;
        $this->nextSample = $released;
        $this->pushed = $contender->variant->workload->arrivals === null ? $jobs : 0;
    }

    /** @return list<array{float, int}> seconds since the release, and what was in the queue */
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
        $count = $this->stamps->count();

        if ($count > $this->seen) {
            $this->seen = $count;
            $this->progress = $now;
        }

        $wanted = $this->contender->variant->workload->counted ?? $this->jobs;

        return match (true) {
            $this->pushed < $this->jobs => false,
            // A job that ran twice is no second job.
            $count >= $wanted => JobLedger::of($this->stamps->read())->jobs() >= $wanted || $this->isStalled($now),
            default => $this->isStalled($now),
        };
    }

    private function isStalled(int $now): bool
    {
        $patience = self::STALLED_SECONDS + $this->contender->variant->workload->settling();

        return $now - $this->progress > $patience * 1_000_000_000 || ! $this->crew->isWorking();
    }

    /** Jobs that are due by now, if they come one by one. */
    private function push(): void
    {
        $rate = $this->contender->variant->workload->arrivals;

        while (
            $rate !== null
            && $this->pushed < $this->jobs
            && $this->clock->monotonicNanos() >= $this->released + (int) ($this->pushed / $rate * 1_000_000_000)
        ) {
            $this->contender->driver->push($this->pushed++, 1, $this->contender->variant->workload);
            $this->progress = $this->clock->monotonicNanos();
        }
    }

    private function sample(): void
    {
        $from = $this->clock->monotonicNanos();

        if ($from < $this->nextSample) {
            return;
        }

        $this->depth[] = [($from - $this->released) / 1_000_000_000, $this->contender->driver->size()];
        $to = $this->clock->monotonicNanos();
        $this->nextSample = max($this->nextSample + self::SAMPLE_NANOS, $to + ($to - $from) * self::SAMPLE_SHARE);
    }

    /** Whether jobs stay behind, or come once more. */
    private function settle(): void
    {
        $now = $this->clock->monotonicNanos();
        $until = $now + (int) ($this->contender->variant->workload->settling() * 1_000_000_000);

        // An empty queue is no reason to be quicker: a worker may be at a job that another one has done.
        while ($this->clock->monotonicNanos() < $until) {
            $this->clock->sleep(self::POLL_MICROS);
        }

        // What is left now, where the run ended: workers did nothing since.
        $this->depth[] = [($now - $this->released) / 1_000_000_000, $this->left()];
    }

    private function left(): int
    {
        return $this->left = $this->contender->driver->size();
    }
}
