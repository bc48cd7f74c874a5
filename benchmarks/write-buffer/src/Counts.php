<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use DateTimeImmutable;

/**
 * Calls of an API by 1,000 customers within one hour, in random order. The same number makes the same call.
 */
final readonly class Counts
{
    public const COUNTERS = 1000;

    private const HOUR = '2026-01-01 00:00:00';

    /** @return array<string, mixed> the event of a request: its hour is an object, as now()->startOfHour() is */
    public static function event(int $n): array
    {
        return ['api_key' => self::key($n), 'hour' => new DateTimeImmutable(self::HOUR.' UTC'), 'calls' => 1];
    }

    /** @return array{string, string, int} */
    public static function plain(int $n): array
    {
        return [self::key($n), self::HOUR, 1];
    }

    /** @return array<string, int> the final counts of the table, by key */
    public static function expected(int $events): array
    {
        $counts = [];

        for ($n = 0; $n < $events; $n++) {
            $counts[self::key($n)] = ($counts[self::key($n)] ?? 0) + 1;
        }

        ksort($counts);

        return $counts;
    }

    private static function key(int $n): string
    {
        return sprintf('customer-%04d', crc32("call {$n}") % self::COUNTERS);
    }
}
