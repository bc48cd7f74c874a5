<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

/**
 * A bucket whose last flush failed. It is on disk, because every scheduled flush is a process of its own.
 *
 * @internal
 */
final readonly class RetryState
{
    /** From so many failures on the sink counts as down, which is an alarm; each further try is one delivery. */
    public const DOWN_AFTER = 5;

    /**
     * @param int<1, max> $attempts that failed in a row
     * @param int $since microseconds since the Unix epoch
     * @param int $nextTry microseconds since the Unix epoch
     * @param string $reason of the last one
     * @param int<0, max> $retryAfter seconds that the other side has asked for; 0 when it has not
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
