<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Redis;

use Headroom\Core\SystemClock;
use RuntimeException;

final readonly class Patience
{
    private const SECONDS = 30;

    /** @param callable(): bool $isMet */
    public static function until(callable $isMet, string $what): void
    {
        $clock = new SystemClock;
        $deadline = $clock->monotonicNanos() + self::SECONDS * 1_000_000_000;

        while (! $isMet()) {
            if ($clock->monotonicNanos() > $deadline) {
                throw new RuntimeException('Not after '.self::SECONDS." s: {$what}");
            }

            $clock->sleep(5_000);
        }
    }
}
