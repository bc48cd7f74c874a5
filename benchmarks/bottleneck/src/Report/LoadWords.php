<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck\Report;

/**
 * Figures of a run for people.
 */
final readonly class LoadWords
{
    /**
     * @param array<string, mixed> $load as ArticlesTest makes it
     * @return list<string> errors, mean, p95, most clients of Redis, new connections a second, CPUs
     */
    public static function of(array $load): array
    {
        return [
            self::share($load['error_rate'], 2),
            self::millis($load['mean_ms']),
            self::millis($load['p95_ms']),
            number_format($load['redis_clients_most']),
            $load['redis_connections_per_second'] === null
                ? '–'
                : number_format($load['redis_connections_per_second'], 1),
            self::share($load['cpu_share'], 0),
        ];
    }

    public static function share(?float $share, int $digits): string
    {
        return $share === null ? '–' : number_format(100 * $share, $digits).' %';
    }

    public static function millis(?float $millis): string
    {
        return $millis === null ? '–' : number_format($millis).' ms';
    }
}
