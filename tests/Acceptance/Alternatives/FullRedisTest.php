<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Alternatives;

use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Attributes\Test;

/**
 * Redis reaches maxmemory: with noeviction it refuses writes, with allkeys-lru it removes the keys that were used least
 * recently, and a queue that waits for a worker is one of these.
 */
final class FullRedisTest extends AlternativesTestCase
{
    #[Test]
    public function with_noeviction_dispatching_to_redis_throws_in_the_request(): void
    {
        $redis = $this->full();

        self::assertSame(500, $this->write('redis-job')->status);
        self::assertStringContainsString('OOM', $this->app->log());
        self::assertSame(0, $redis->ask('LLEN', 'queues:default'));
    }

    #[Test]
    public function with_noeviction_a_push_to_a_list_throws_in_the_request(): void
    {
        $redis = $this->full();

        self::assertSame(500, $this->write('list')->status);
        self::assertStringContainsString('OOM', $this->app->log());
        self::assertSame(0, $redis->ask('LLEN', 'events'));
    }

    #[Test]
    public function with_allkeys_lru_queued_jobs_are_evicted_and_nothing_fails(): void
    {
        $redis = $this->evicting();
        self::assertSame(200, $this->write('redis-job', 3)->status);
        self::assertSame(3, $redis->ask('LLEN', 'queues:default'));
        $this->fillUntilGone($redis, 'queues:default');
        $this->artisan('queue:work', 'redis', '--stop-when-empty', '--sleep=0');

        self::assertSame([0, 0, ''], [$this->counted(), $this->counted('failed_jobs'), $this->app->log()]);
    }

    #[Test]
    public function with_allkeys_lru_a_list_is_evicted_and_nothing_fails(): void
    {
        $redis = $this->evicting();
        self::assertSame(200, $this->write('list', 3)->status);
        $this->fillUntilGone($redis, 'events');
        $this->artisan('app:pop');

        self::assertSame([0, ''], [$this->counted(), $this->app->log()]);
    }

    #[Test]
    public function headroom_on_disk_accepts_and_delivers_while_redis_is_full(): void
    {
        $this->full();
        self::assertSame(200, $this->write('headroom', 3)->status);
        $this->artisan('spool:flush', 'api-events');

        self::assertSame(3, $this->counted());
    }

    #[Test]
    public function headroom_in_redis_accepts_on_disk_when_redis_is_full(): void
    {
        $redis = $this->full();
        self::assertSame(200, $this->write('headroom-redis', 3)->status);
        $redis->ask('FLUSHALL');
        $this->artisan('spool:flush', 'in-redis');

        self::assertSame(3, $this->counted());
    }

    #[Test]
    public function headroom_in_redis_warns_of_eviction(): void
    {
        $this->evicting();
        $health = $this->app->artisan('spool:health');

        self::assertSame(1, $health->exit);
        self::assertStringContainsString('allkeys-lru', $health->out);
    }

    #[Test]
    public function jobs_in_the_database_need_no_redis(): void
    {
        $this->full();
        self::assertSame(200, $this->write('database-job')->status);
        $this->artisan('queue:work', 'database', '--stop-when-empty', '--sleep=0');

        self::assertSame(1, $this->counted());
    }

    #[Test]
    public function writes_after_the_response_need_no_redis(): void
    {
        $this->full();

        foreach (['after-response', 'defer', 'memory'] as $way) {
            self::assertSame(200, $this->write($way)->status);
        }

        self::assertSame(3, $this->counted());
    }

    private function full(): RedisServer
    {
        $redis = $this->redis(['maxmemory-policy' => 'noeviction']);

        for ($n = 0; $n < 300; $n++) {
            $this->fill($redis, $n);
        }

        // Far below what it holds, so that no buffer of a connection that goes makes room again.
        $redis->ask('CONFIG', 'SET', 'maxmemory', '2mb');

        return $redis;
    }

    private function evicting(): RedisServer
    {
        return $this->redis(['maxmemory' => '4mb', 'maxmemory-policy' => 'allkeys-lru']);
    }

    /** As a cache in the same Redis does it: each key is newer than the queue. */
    private function fillUntilGone(RedisServer $redis, string $key): void
    {
        for ($n = 0; $redis->ask('EXISTS', $key) === 1; $n++) {
            self::assertSame('OK', $this->fill($redis, $n));
            self::assertLessThan(100_000, $n);
        }
    }

    private function fill(RedisServer $redis, int $n): mixed
    {
        return $redis->ask('SET', "page:{$n}", str_repeat('x', 10_000));
    }
}
