<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\Cluster;
use Headroom\Spool\RedisStore\Client\Connection;
use Headroom\Spool\RedisStore\Client\PhpRedisNode;
use Headroom\Spool\RedisStore\Client\PredisNode;
use Headroom\Spool\RedisStore\Client\ReconnectingClient;
use Predis;
use Redis;

/**
 * Which Redis a world's buckets are in, through which client, and how patient with it.
 */
final readonly class RedisSide
{
    /** @param non-empty-list<int> $ports one, or those of a cluster's nodes */
    public function __construct(
        public array $ports,
        public string $client = 'phpredis',
        public int $takeover = 60,
        public int $wait = 0,
        public float $timeout = 10.0,
        public int $waitMillis = 100,
    ) {}

    /** @param array<string, mixed> $fields as JSON has it */
    public static function fromArray(array $fields): self
    {
        /**
         * @var array{
         *     ports: non-empty-list<int>,
         *     client: string,
         *     takeover: int,
         *     wait: int,
         *     timeout: float|int,
         *     waitMillis: int,
         * } $fields
         */
        return new self(
            $fields['ports'],
            $fields['client'],
            $fields['takeover'],
            $fields['wait'],
            (float) $fields['timeout'],
            $fields['waitMillis'],
        );
    }

    /** @return array<string, int> */
    public function settings(): array
    {
        return ['takeover' => $this->takeover, 'wait' => $this->wait, 'wait_ms' => $this->waitMillis];
    }

    public function client(): Client
    {
        return new ReconnectingClient(fn (): Connection => count($this->ports) === 1
            ? $this->node('127.0.0.1', $this->ports[0])
            : Cluster::open(
                array_map(static fn (int $port): string => "127.0.0.1:{$port}", $this->ports),
                $this->node(...),
            ));
    }

    private function node(string $host, int $port): Connection
    {
        if ($this->client === 'predis') {
            return PredisNode::open(fn (): Predis\Client => new Predis\Client([
                'host' => $host,
                'port' => $port,
                'timeout' => $this->timeout,
                'read_write_timeout' => $this->timeout,
            ]));
        }

        return PhpRedisNode::open(function () use ($host, $port): Redis {
            $redis = new Redis;
            $redis->connect($host, $port, $this->timeout, null, 0, $this->timeout);

            return $redis;
        });
    }
}
