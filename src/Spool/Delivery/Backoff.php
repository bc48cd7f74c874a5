<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Sink\RetryLater;
use Headroom\Spool\Store\State\RetryState;
use Random\Randomizer;
use Throwable;

/**
 * The time of the next attempt: exponential backoff with full jitter, so that a hundred machines do not return to a
 * database at once.
 *
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 *
 * @internal
 */
final readonly class Backoff
{
    private const FIRST_MICROS = 1_000_000;

    /** A sink that is back is tried after this time at the latest. */
    public const MAX_MICROS = 300_000_000;

    /** Limit in seconds for the wait that a server asks for, because its clock may be wrong. */
    public const MAX_RETRY_AFTER = 86_400;

    public function __construct(private Randomizer $random = new Randomizer) {}

    /** @param int $now microseconds since the Unix epoch */
    public function after(?RetryState $before, Throwable $failure, int $now): RetryState
    {
        $attempts = ($before->attempts ?? 0) + 1;
        $ceiling = min(self::MAX_MICROS, self::FIRST_MICROS << min(20, $attempts - 1));

        $asked = $failure instanceof RetryLater ? min(self::MAX_RETRY_AFTER, max(0, $failure->retryAfter())) : 0;
        $pause = max($asked * 1_000_000, $this->random->getInt(0, $ceiling));

        return new RetryState(
            $attempts,
            $before->since ?? $now,
            $now + $pause,
            FailureReason::of($failure, FailureReason::SHORT_BYTES),
            $asked,
        );
    }

    /**
     * The first interruption causes no wait, because a deploy may have killed the process. Later ones back off like
     * failures.
     */
    public function interrupted(?RetryState $before, Throwable $what, int $now): RetryState
    {
        $retry = $this->after($before, $what, $now);

        return $retry->attempts === 1 ? new RetryState(1, $now, $now, $retry->reason) : $retry;
    }

    /** An attempt that is further away than the longest wait is due: the clock was set back. */
    public static function isTooEarly(RetryState $retry, int $now): bool
    {
        return $now < $retry->nextTry
            && $retry->nextTry - $now <= $retry->retryAfter * 1_000_000 + self::MAX_MICROS;
    }
}
