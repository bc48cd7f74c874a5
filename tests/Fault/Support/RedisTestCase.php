<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

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
}
