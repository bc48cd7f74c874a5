<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Tests\Support\Redis\RedisLibrary;
use Headroom\Tests\Support\Redis\Resp;
use Headroom\Tests\Support\Redis\SharedRedis;

/**
 * The ways a client reaches Redis.
 */
enum RedisKind: string
{
    case PhpRedis = 'phpredis, one server';
    case Predis = 'Predis, one server';
    case PhpRedisCluster = 'phpredis, a cluster';
    case PredisCluster = 'Predis, a cluster';

    /** @return array<string, array{self}> */
    public static function all(): array
    {
        return array_column(array_map(static fn (self $kind): array => [$kind->value, [$kind]], self::cases()), 1, 0);
    }

    public function isCluster(): bool
    {
        return $this === self::PhpRedisCluster || $this === self::PredisCluster;
    }

    public function client(string $prefix = ''): Client
    {
        $library = in_array($this, [self::PhpRedis, self::PhpRedisCluster], true)
            ? RedisLibrary::PhpRedis
            : RedisLibrary::Predis;

        return $this->isCluster()
            ? $library->clusterClient(SharedRedis::clusterNodes(), $prefix)
            : $library->client(SharedRedis::port(), $prefix);
    }

    /** The port of the server that has a key, as the servers say. */
    public function serverOf(string $key): int
    {
        if (! $this->isCluster()) {
            return SharedRedis::port();
        }

        $seed = (int) explode(':', SharedRedis::clusterNodes()[0])[1];
        $slot = Resp::ask($seed, 'CLUSTER', 'KEYSLOT', $key);
        /** @var list<array{int, int, array{string, int}}> $ranges */
        $ranges = Resp::ask($seed, 'CLUSTER', 'SLOTS');

        return array_values(array_filter(
            $ranges,
            static fn (array $range): bool => $range[0] <= $slot && $slot <= $range[1],
        ))[0][2][1];
    }

    /** How often the nodes have redirected a client. */
    public function redirections(): int
    {
        $count = 0;

        foreach ($this->isCluster() ? SharedRedis::clusterNodes() : [] as $node) {
            $info = Resp::ask((int) explode(':', $node)[1], 'INFO', 'errorstats');
            $count += is_string($info) && preg_match('/errorstat_MOVED:count=(\d+)/', $info, $m) === 1
                ? (int) $m[1]
                : 0;
        }

        return $count;
    }
}
