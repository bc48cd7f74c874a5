<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

/**
 * A valid event for the workbench's endpoints.
 */
final class WorkbenchEvent
{
    /**
     * @param array<string, mixed> $changes
     * @return array<string, mixed>
     */
    public static function json(array $changes = []): array
    {
        return [
            'id' => 'event-1',
            'ip' => '192.0.2.7',
            'time' => '2015-05-17 10:05:03',
            'method' => 'GET',
            'path' => '/presentations/kibana.png?size=2',
            'status' => 200,
            'bytes' => 203023,
            'referer' => 'http://example.com/',
            'agent' => 'Mozilla/5.0 (X11; Linux x86_64)',
            ...$changes,
        ];
    }

    /**
     * @param array<string, string> $changes
     * @return array<string, string>
     */
    public static function form(array $changes = []): array
    {
        return [
            'id' => 'event-1',
            'ip' => '192.0.2.7',
            'time' => '17/May/2015:10:05:03 +0000',
            'method' => 'GET',
            'path' => '/presentations/kibana.png?size=2',
            'status' => '200',
            'bytes' => '203023',
            'referer' => 'http://example.com/',
            'agent' => 'Mozilla/5.0 (X11; Linux x86_64)',
            ...$changes,
        ];
    }
}
