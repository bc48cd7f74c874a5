<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

/**
 * The replication state of the server that has a key.
 *
 * @internal
 */
final readonly class Replication
{
    /**
     * @param string $id changes when another server takes over and when this server restarts
     * @param int<0, max> $replicas number of connected replicas that have completed their first synchronization
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

    /**
     * Waits until that many replicas have what this connection wrote last.
     *
     * @param int<1, max> $replicas
     * @return int replicas that confirmed it in time
     *
     * @throws RedisFailure
     */
    public static function await(Client $client, string $key, int $replicas, int $millis): int
    {
        $confirmed = $client->command($key, ['WAIT', $replicas, $millis]);

        return is_int($confirmed) ? $confirmed : 0;
    }
}
