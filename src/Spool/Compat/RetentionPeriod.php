<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use DateInterval;
use DateTimeImmutable;
use DateTimeInterface;
use Headroom\Core\Clock;
use InvalidArgumentException;

/**
 * How long something is kept, in the forms in which people say it.
 *
 * @internal
 */
final readonly class RetentionPeriod
{
    /** @return int<0, max> */
    public static function seconds(int|DateInterval|DateTimeInterface $span, Clock $clock): int
    {
        $now = intdiv($clock->micros(), 1_000_000);
        $seconds = match (true) {
            is_int($span) => $span,
            $span instanceof DateInterval => (new DateTimeImmutable("@{$now}"))->add($span)->getTimestamp() - $now,
            default => $now - $span->getTimestamp(),
        };

        return $seconds >= 0 ? $seconds : throw new InvalidArgumentException("clean() was asked for what is older than {$seconds} seconds. Say how old in seconds (3600), as an interval of which the length is positive, or as a moment that has passed (now()->subDay()).");
    }
}
