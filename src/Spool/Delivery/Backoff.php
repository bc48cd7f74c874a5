<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Sink\RetryLater;
use Headroom\Spool\Store\RetryState;
use Random\Randomizer;
use Throwable;

/**
 * When to try again: exponential with full jitter, so that a hundred machines do not come back to a database at once.
 *
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 *
 * @internal
 */
final readonly class Backoff
{
    private const FIRST_MICROS = 1_000_000;

    /** Nobody waits longer than this for a sink that is back. */
    public const MAX_MICROS = 300_000_000;

    /** Nor that long for one that has asked for more: whoever says so may have the wrong time. */
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

    /** Nobody waits because a process was killed, as a deploy may do; who finds that it was not the first decides. */
    public function interrupted(?RetryState $before, Throwable $what, int $now): RetryState
    {
        $trouble = $this->after($before, $what, $now);

        return $trouble->attempts === 1 ? new RetryState(1, $now, $now, $trouble->reason) : $trouble;
    }

    /** A clock that was set back must not make it a day, and a little must not make it come before its time. */
    public static function isTooEarly(RetryState $trouble, int $now): bool
    {
        return $now < $trouble->nextTry
            && $trouble->nextTry - $now <= $trouble->retryAfter * 1_000_000 + self::MAX_MICROS;
    }
}
