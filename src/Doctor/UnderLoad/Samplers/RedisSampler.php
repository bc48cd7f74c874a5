<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Redis\RedisAddress;
use Headroom\Doctor\Redis\RedisInfo;
use Headroom\Doctor\Redis\UnreadableRedis;

/**
 * @internal
 *
 * @implements Sampler<RedisSnapshot>
 */
final class RedisSampler implements Sampler
{
    private int $ownConnections = 0;

    public function __construct(public readonly RedisAddress $address) {}

    public function subject(): string
    {
        return "Redis {$this->name()}";
    }

    /** Without the protocol: 127.0.0.1:6379, or the path of a socket. */
    public function name(): string
    {
        return (string) preg_replace(['~\Aunix://~', '~\A\w+://~'], ['unix:', ''], $this->address->place);
    }

    public function read(): RedisSnapshot
    {
        $this->ownConnections++;
        $wire = $this->address->wire();

        try {
            $info = $wire->ask('INFO', 'everything');
            $at = $wire->peer();
        } finally {
            $wire->close();
        }

        return $this->snapshot(is_string($info) ? $info : '', $at);
    }

    /** @throws FactUnavailable */
    private function snapshot(string $text, ?string $at): RedisSnapshot
    {
        $info = RedisInfo::parse($text);
        preg_match_all('/^cmdstat_[^:\r\n]+:calls=\d+,usec=(\d+)/m', $text, $micros);

        return new RedisSnapshot(
            $this->name(),
            $at ?? $this->name(),
            max(0, (int) $this->number($info, 'total_connections_received') - $this->ownConnections),
            (int) $this->number($info, 'total_commands_processed'),
            array_sum(array_map(intval(...), $micros[1])),
            $this->number($info, 'used_cpu_user') + $this->number($info, 'used_cpu_sys'),
            (int) $this->number($info, 'connected_clients'),
            (int) $this->number($info, 'blocked_clients'),
        );
    }

    /** @throws FactUnavailable */
    private function number(RedisInfo $info, string $field): float
    {
        return $info->number($field) ?? throw UnreadableRedis::strange($this->address->place, "INFO without {$field}");
    }
}
