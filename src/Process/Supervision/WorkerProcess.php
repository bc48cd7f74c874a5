<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * The supervisor's view of one bucket's process. Times are monotonic nanoseconds.
 *
 * @internal
 */
final class WorkerProcess
{
    /** A process that ran at least this long is restarted without a pause. */
    private const SETTLED_NANOS = 30_000_000_000;

    private const LONGEST_PAUSE_SECONDS = 30;

    public ?int $pid = null;

    public ?WorkerStopReason $final = null;

    public int $startAt = 0;

    private int $startedAt = 0;

    private int $pause = 0;

    public function __construct(public readonly string $bucket) {}

    public function started(int $pid, int $now): void
    {
        $this->pid = $pid;
        $this->startedAt = $now;
    }

    public function isWaiting(int $now): bool
    {
        return $this->pid === null && $this->final === null && $now >= $this->startAt;
    }

    /** @return int seconds until the restart */
    public function ended(int $now): int
    {
        $this->pid = null;

        return $this->pauseFrom($now, $now - $this->startedAt >= self::SETTLED_NANOS ? 0 : $this->longer());
    }

    /** @return int seconds until the next attempt */
    public function notStarted(int $now): int
    {
        return $this->pauseFrom($now, $this->longer());
    }

    private function longer(): int
    {
        return min(self::LONGEST_PAUSE_SECONDS, max(1, 2 * $this->pause));
    }

    private function pauseFrom(int $now, int $seconds): int
    {
        $this->pause = $seconds;
        $this->startAt = $now + $this->pause * 1_000_000_000;

        return $this->pause;
    }
}
