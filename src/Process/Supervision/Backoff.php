<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * The pauses before restarts of a process that keeps ending: none, then 1, 2, 4, 8, 16 and 30 seconds. A process that
 * has run for 30 seconds begins the series again. Times are nanoseconds of the monotonic clock.
 *
 * @internal
 */
final class Backoff
{
    private const SECOND = 1_000_000_000;

    private const MAX_EXPONENT = 30;

    /** Failures in a row. */
    public int $failures = 0;

    /** Whether no further restart follows until reset() is called. */
    public bool $hasGivenUp = false;

    private int $dueAt = 0;

    /**
     * @param ?int $maxFailures failures in a row that are still followed by a restart; the next one is final. Null sets
     *     no limit
     * @param int $settledSeconds life time of a process after which its end is the first failure of a new series
     */
    public function __construct(
        private readonly ?int $maxFailures = null,
        private readonly int $settledSeconds = 30,
        private readonly int $maxPauseSeconds = 30,
    ) {}

    public function isDue(int $now): bool
    {
        return ! $this->hasGivenUp && $now >= $this->dueAt;
    }

    /**
     * @param bool $hasWorked the process was working before it ended. Requests or events can end it then, and a client
     *     that sends such requests must not end the service: it restarts forever, after a second at most.
     * @return ?int seconds until the next start; null when no start follows
     */
    public function failed(int $now, int $startedAt, bool $hasWorked): ?int
    {
        $this->failures = $now - $startedAt >= $this->settledSeconds * self::SECOND ? 1 : $this->failures + 1;

        if ($hasWorked) {
            $this->failures = min($this->failures, 2);
        }

        if ($this->maxFailures !== null && $this->failures > $this->maxFailures) {
            $this->hasGivenUp = true;

            return null;
        }

        $pause = $this->failures === 1
            ? 0
            : min($this->maxPauseSeconds, 2 ** min(self::MAX_EXPONENT, $this->failures - 2));
        $this->dueAt = $now + $pause * self::SECOND;

        return $pause;
    }

    public function reset(): void
    {
        $this->hasGivenUp = false;
        $this->failures = 0;
        $this->dueAt = 0;
    }
}
