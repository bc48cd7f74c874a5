<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Support\Redis\Installed;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Redis;

/**
 * The page that benchmarks/bottleneck sends load to: it has a session, and parts from the cache.
 */
final class WorkbenchCatalogueTest extends TestCase
{
    private ?WorkbenchApplication $workbench = null;

    private ?RedisServer $server = null;

    protected function tearDown(): void
    {
        $this->workbench?->shut();
        $this->server?->stop();
    }

    #[Test]
    public function as_it_is_it_needs_no_redis(): void
    {
        $this->workbench = WorkbenchApplication::boot();
        $response = $this->workbench->get('/catalogue');
        $page = (array) json_decode((string) $response->getContent(), true);

        self::assertSame(200, $response->getStatusCode());
        self::assertSame(1, $page['visits']);
        self::assertCount(6, (array) $page['sections']);
    }

    #[Test]
    public function with_redis_a_request_opens_one_connection_each_for_session_and_cache(): void
    {
        Installed::phpRedis();
        $this->server = RedisServer::start();
        $redis = new Redis;
        $redis->connect('127.0.0.1', $this->server->port);
        $this->workbench = WorkbenchApplication::boot([
            'REDIS_HOST' => '127.0.0.1',
            'REDIS_PORT' => (string) $this->server->port,
            'SESSION_DRIVER' => 'redis',
            'CACHE_STORE' => 'redis',
        ]);
        $before = self::received($redis);

        self::assertSame(200, $this->workbench->get('/catalogue')->getStatusCode());
        self::assertSame(2, self::received($redis) - $before);

        // Each in the database of its connection.
        self::assertCount(1, (array) $redis->keys('*'));
        $redis->select(1);
        self::assertCount(6, (array) $redis->keys('*catalogue:*'));
    }

    private static function received(Redis $redis): int
    {
        $stats = $redis->info('stats');
        self::assertIsArray($stats);
        $received = $stats['total_connections_received'] ?? null;
        self::assertIsNumeric($received);

        return (int) $received;
    }
}
