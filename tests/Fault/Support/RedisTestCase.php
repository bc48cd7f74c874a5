<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Spool\Redis\Keys;
use Headroom\Tests\Support\Redis\RedisServer;

/**
 * Gives each test a Redis server of its own as well.
 */
abstract class RedisTestCase extends FaultTestCase
{
    protected RedisServer $redis;

    protected function setUp(): void
    {
        parent::setUp();
        $this->redis = RedisServer::start($this->options());
        $this->world = $this->world->withRedis(new RedisSide([$this->redis->port]));
    }

    protected function tearDown(): void
    {
        parent::tearDown();

        if (isset($this->redis)) {
            $this->redis->stop();
        }
    }

    /** @return array<string, string|int> as in redis.conf */
    protected function options(): array
    {
        return [];
    }

    /** As the clock of the other server would have made it. */
    protected function setIdOfLast(int $milliseconds): void
    {
        $stream = (new Keys('events'))->log;
        $last = $this->redis->ask('XREVRANGE', $stream, '+', '-', 'COUNT', '1');
        self::assertIsArray($last);
        self::assertIsArray($last[0]);
        [$id, $fields] = $last[0];
        self::assertIsString($id);
        self::assertIsArray($fields);
        $this->redis->ask('XDEL', $stream, $id);
        $before = $this->redis->ask('XREVRANGE', $stream, '+', '-', 'COUNT', '1');
        self::assertIsArray($before);
        $first = $before[0] ?? ['0-1'];
        self::assertIsArray($first);
        self::assertIsString($first[0]);
        $this->redis->ask('XSETID', $stream, $first[0]);
        self::assertIsString($this->redis->ask('XADD', $stream, "{$milliseconds}-1", ...array_map(static fn (mixed $field): string => is_scalar($field) ? (string) $field : '', $fields)));
    }
}
