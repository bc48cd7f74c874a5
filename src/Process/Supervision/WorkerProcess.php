<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * The process of a bucket, as its supervisor sees it. Times are nanoseconds of the monotonic clock.
 *
 * @internal
 */
final class WorkerProcess
{
    public ?int $pid = null;

    public ?WorkerStopReason $final = null;

    public int $startAt = 0;

    private int $startedAt = 0;

    private int $pause = 0;

    public function __construct(
        public readonly string $bucket,
        private readonly SupervisorOptions $options = new SupervisorOptions,
    ) {}

    public function started(int $pid, int $now): void
    {
        $this->pid = $pid;
        $this->startedAt = $now;
    }

    public function isWaiting(int $now): bool
    {
        return $this->pid === null && $this->final === null && $now >= $this->startAt;
    }

    /** @return int seconds until it is started again */
    public function ended(int $now): int
    {
        $this->pid = null;

        return $this->pauseFrom($now, $this->hasSettled($now) ? 0 : $this->nextPause());
    }

    /** @return int seconds until it is tried again */
    public function notStarted(int $now): int
    {
        return $this->pauseFrom($now, $this->nextPause());
    }

    private function hasSettled(int $now): bool
    {
        return $now - $this->startedAt >= $this->options->settledSeconds * 1_000_000_000;
    }

    private function nextPause(): int
    {
        return min($this->options->longestPauseSeconds, max(1, 2 * $this->pause));
    }

    private function pauseFrom(int $now, int $seconds): int
    {
        $this->pause = $seconds;
        $this->startAt = $now + $this->pause * 1_000_000_000;

        return $this->pause;
    }
}
