<?php

declare(strict_types=1);

namespace Headroom\Spool\Store\State;

/**
 * The failures of a bucket whose last flush failed. They are stored on disk, because each scheduled flush is a new
 * process.
 *
 * @internal
 */
final readonly class RetryState
{
    /** After this many failures the sink counts as down, which is an alarm. Each further attempt makes one delivery. */
    public const DOWN_AFTER = 5;

    /**
     * @param int<1, max> $attempts number of consecutive failures
     * @param int $since microseconds since the Unix epoch
     * @param int $nextTry microseconds since the Unix epoch
     * @param string $reason reason of the last failure
     * @param int<0, max> $retryAfter seconds that the sink's server has asked to wait; 0 when it has not asked
     */
    public function __construct(
        public int $attempts,
        public int $since,
        public int $nextTry,
        public string $reason,
        public int $retryAfter = 0,
    ) {}

    public function isDown(): bool
    {
        return $this->attempts >= self::DOWN_AFTER;
    }
}
