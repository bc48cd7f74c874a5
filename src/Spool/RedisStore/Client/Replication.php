<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

/**
 * The server that has a key, as the head of its replicas.
 *
 * @internal
 */
final readonly class Replication
{
    /**
     * @param string $id changes when another server takes over, and when this one is started anew
     * @param int<0, max> $replicas that are connected and have caught up once
     */
    private function __construct(public string $id, public int $replicas) {}

    /** @throws RedisFailure */
    public static function of(Client $client, string $key): self
    {
        $info = $client->command($key, ['INFO', 'replication']);
        $info = is_string($info) ? $info : '';

        return new self(
            preg_match('/^master_replid:(\w+)/m', $info, $m) === 1 ? $m[1] : '',
            max(0, (int) preg_match_all('/^slave\d+:.*\bstate=online\b/m', $info)),
        );
    }
}
