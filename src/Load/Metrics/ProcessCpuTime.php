<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

final readonly class ProcessCpuTime implements CpuTime
{
    private const FIELDS = [
        'ru_utime.tv_sec' => 1_000_000,
        'ru_stime.tv_sec' => 1_000_000,
        'ru_utime.tv_usec' => 1,
        'ru_stime.tv_usec' => 1,
    ];

    public function micros(): int
    {
        $usage = getrusage();
        $micros = 0;

        foreach (self::FIELDS as $field => $factor) {
            $value = $usage[$field] ?? 0;
            $micros += is_int($value) ? $value * $factor : 0;
        }

        return $micros;
    }
}
