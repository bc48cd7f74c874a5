<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Load\InvalidPlan;

/**
 * The speed of a replay.
 *
 * @internal
 */
final readonly class ReplaySpeed
{
    /** Ignores the times of the log: each virtual user sends the next request after the previous response. */
    public const MAX = 'max';

    private const SLOWEST = 0.001;

    private const FASTEST = 1_000_000.0;

    /** @throws InvalidPlan */
    public static function of(string $text): float
    {
        $speed = preg_match('/\A\d{1,7}(\.\d{1,6})?\z/', $text) === 1 ? (float) $text : 0.0;

        return $speed >= self::SLOWEST && $speed <= self::FASTEST
            ? $speed
            : throw InvalidPlan::option(
                'speed',
                $text,
                "'max', or a factor from ".self::SLOWEST.' to '.(int) self::FASTEST,
            );
    }
}
