<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use DateTimeImmutable;

/**
 * Page views as the workbench's endpoint buffers them, about 300 bytes each as JSON. The same number makes the same
 * event.
 */
final readonly class Events
{
    private const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

    /** @return array<string, mixed> the event of a request: its time is an object, as now() is */
    public static function row(int $n): array
    {
        return [
            'seq' => sprintf('bench-%09d', $n),
            'ip' => '203.0.'.($n >> 8 & 255).'.'.($n & 255),
            'time' => '2026-01-01 00:00:'.sprintf('%02d', $n % 60),
            'method' => 'GET',
            'path' => "/shop/things/{$n}/parts",
            'status' => $n % 50 === 0 ? 404 : 200,
            'bytes' => $n % 10 === 0 ? null : 1000 + $n % 9000,
            'referer' => 'https://www.example.com/shop/list?page='.($n % 100),
            'agent' => self::AGENT,
            'created_at' => (new DateTimeImmutable('2026-01-01 00:00:00 UTC'))->setTimestamp(1_767_225_600 + $n),
        ];
    }

    /** @return array<string, scalar|null> the same as text for a known table */
    public static function plain(int $n): array
    {
        $row = self::row($n);
        $row['created_at'] = $row['created_at']->format('Y-m-d H:i:s');

        return $row;
    }
}
