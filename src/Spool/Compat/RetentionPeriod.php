<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use DateInterval;
use DateTimeImmutable;
use DateTimeInterface;
use Headroom\Core\Clock;
use InvalidArgumentException;

/**
 * Converts a retention period to seconds. The period is a number of seconds, an interval or a moment.
 *
 * @internal
 */
final readonly class RetentionPeriod
{
    /** @return int<0, max> */
    public static function seconds(int|DateInterval|DateTimeInterface $period, Clock $clock): int
    {
        $now = intdiv($clock->micros(), 1_000_000);
        $seconds = match (true) {
            is_int($period) => $period,
            $period instanceof DateInterval => (new DateTimeImmutable("@{$now}"))->add($period)->getTimestamp() - $now,
            default => $now - $period->getTimestamp(),
        };

        return $seconds >= 0
            ? $seconds
            : throw new InvalidArgumentException(
                "clean() cannot remove segments older than {$seconds} seconds. Pass an age in seconds (3600), a"
                    .' positive interval, or a past moment (now()->subDay()).',
            );
    }
}
