<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\NotApplicable;

/**
 * Asks each server for INFO, CONFIG GET and SLOWLOG GET, which change nothing.
 *
 * @internal
 */
final readonly class RedisProbe
{
    private const SLOW_ENTRIES = '128';

    private const SETTINGS = [
        'maxclients',
        'maxmemory',
        'maxmemory-policy',
        'appendonly',
        'appendfsync',
        'save',
        'latency-monitor-threshold',
        'slowlog-log-slower-than',
        'tcp-backlog',
        'tcp-keepalive',
        'timeout',
        'io-threads',
        'unixsocket',
        'disable-thp',
    ];

    /** @param list<RedisAddress> $addresses */
    public function __construct(private array $addresses) {}

    public function facts(): RedisServers
    {
        $servers = [];

        foreach ($this->addresses as $address) {
            $servers[] = $this->server($address);
        }

        return new RedisServers($servers === [] ? throw NotApplicable::of('nothing here uses Redis') : $servers);
    }

    private function server(RedisAddress $address): RedisServer
    {
        try {
            $wire = $address->wire();

            try {
                return new RedisServer(
                    $address->place,
                    $address->uses,
                    $this->info($wire),
                    $this->settings($wire),
                    $this->slow($wire),
                );
            } finally {
                $wire->close();
            }
        } catch (FactUnavailable $e) {
            return new RedisServer($address->place, $address->uses, trouble: $e->getMessage());
        }
    }

    private function info(RedisClient $wire): RedisInfo
    {
        $text = $wire->ask('INFO', 'everything');

        return RedisInfo::parse(is_string($text) ? $text : '');
    }

    /** @return array<string, string> */
    private function settings(RedisClient $wire): array
    {
        $settings = [];

        try {
            foreach (self::SETTINGS as $name) {
                $pair = $wire->ask('CONFIG', 'GET', $name);

                if (is_array($pair) && is_string($pair[1] ?? null)) {
                    $settings[$name] = $pair[1];
                }
            }
        } catch (FactUnavailable) {
            // Many hosted Redis servers refuse CONFIG. Then the settings are unknown.
        }

        return $settings;
    }

    /** @return ?list<SlowCommand> null if the server refuses it */
    private function slow(RedisClient $wire): ?array
    {
        $slow = [];

        try {
            $entries = $wire->ask('SLOWLOG', 'GET', self::SLOW_ENTRIES);
        } catch (FactUnavailable) {
            return null;
        }

        foreach (is_array($entries) ? $entries : [] as $entry) {
            $words = is_array($entry) ? $entry[3] ?? null : null;

            if (is_array($entry) && is_int($entry[2] ?? null) && is_array($words) && is_string($words[0] ?? null)) {
                $slow[] = new SlowCommand(strtolower($words[0]), $entry[2]);
            }
        }

        return $slow;
    }
}
