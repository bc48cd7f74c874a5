<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Spool\RedisStore\Stream\Keys;
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

    /** With the id that a clock which is slow would have made. XSETID does not go behind an entry that was deleted. */
    protected function appendAt(int $milliseconds, string $event): void
    {
        $stream = (new Keys('events'))->log;
        $before = $this->redis->ask('DUMP', $stream);
        self::assertIsString($before);
        $this->world->append([$event]);
        $last = $this->redis->ask('XREVRANGE', $stream, '+', '-', 'COUNT', '1');
        self::assertIsArray($last);
        self::assertIsArray($last[0]);
        $fields = $last[0][1];
        self::assertIsArray($fields);
        $fields = array_map(static fn (mixed $field): string => is_scalar($field) ? (string) $field : '', $fields);
        $this->redis->ask('RESTORE', $stream, '0', $before, 'REPLACE');
        self::assertIsString($this->redis->ask('XADD', $stream, "{$milliseconds}-1", ...$fields));
    }
}
