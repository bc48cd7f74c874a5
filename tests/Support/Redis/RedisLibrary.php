<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Redis;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Spool\RedisStore\Client\Cluster;
use Headroom\Spool\RedisStore\Client\Connection;
use Headroom\Spool\RedisStore\Client\PhpRedisNode;
use Headroom\Spool\RedisStore\Client\PredisNode;
use Headroom\Spool\RedisStore\Client\ReconnectingClient;
use Predis\Client as Predis;
use Redis;

enum RedisLibrary: string
{
    case PhpRedis = 'phpredis';
    case Predis = 'predis';

    /** @return array<string, array{self}> */
    public static function byName(): array
    {
        return ['phpredis' => [self::PhpRedis], 'Predis' => [self::Predis]];
    }

    public function client(
        int $port,
        string $prefix = '',
        float $seconds = 10.0,
        Clock $clock = new SystemClock,
    ): ReconnectingClient {
        $this->needed();

        return new ReconnectingClient(fn (): Connection => $this->node('127.0.0.1', $port, $prefix, $seconds), $clock);
    }

    /** @param non-empty-list<string> $seeds */
    public function clusterClient(
        array $seeds,
        string $prefix = '',
        float $seconds = 10.0,
        Clock $clock = new SystemClock,
    ): ReconnectingClient {
        $this->needed();
        $open = fn (string $host, int $port): Connection => $this->node($host, $port, $prefix, $seconds);

        return new ReconnectingClient(static fn (): Connection => Cluster::open($seeds, $open), $clock);
    }

    /** @param array<int, mixed> $options of phpredis */
    public function node(
        string $host,
        int $port,
        string $prefix = '',
        float $seconds = 10.0,
        array $options = [],
    ): Connection {
        return $this === self::PhpRedis
            ? PhpRedisNode::open(static function () use ($host, $port, $prefix, $seconds, $options): Redis {
                $redis = new Redis;
                $redis->connect($host, $port, $seconds, null, 0, $seconds);

                foreach ([Redis::OPT_PREFIX => $prefix] + $options as $option => $value) {
                    $redis->setOption($option, $value);
                }

                return $redis;
            })
            : PredisNode::open(static fn (): Predis => new Predis(
                ['host' => $host, 'port' => $port, 'timeout' => $seconds, 'read_write_timeout' => $seconds],
                $prefix === '' ? [] : ['prefix' => $prefix],
            ));
    }

    private function needed(): void
    {
        if ($this === self::PhpRedis) {
            Installed::phpRedis();
        }
    }
}
