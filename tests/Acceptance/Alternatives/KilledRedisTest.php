<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Alternatives;

use PHPUnit\Framework\Attributes\Test;

/**
 * kill -9 of Redis after three answers, and a start on the same directory.
 */
final class KilledRedisTest extends AlternativesTestCase
{
    private const APPEND_ONLY = ['appendonly' => 'yes', 'appendfsync' => 'everysec'];

    #[Test]
    public function without_persistence_jobs_are_lost(): void
    {
        $redis = $this->redis();
        self::assertSame(200, $this->write('redis-job', 3)->status);
        $redis->restart();
        $this->artisan('queue:work', 'redis', '--stop-when-empty', '--sleep=0');

        self::assertSame(0, $this->counted());
    }

    #[Test]
    public function with_an_append_only_file_jobs_are_kept(): void
    {
        $redis = $this->redis(self::APPEND_ONLY);
        self::assertSame(200, $this->write('redis-job', 3)->status);
        // With everysec Redis may answer before it writes while the disk is slow. At the next question it has written.
        $redis->ask('CONFIG', 'SET', 'appendfsync', 'no');
        $redis->ask('PING');
        $redis->restart();
        $this->artisan('queue:work', 'redis', '--stop-when-empty', '--sleep=0');

        self::assertSame(3, $this->counted());
    }

    #[Test]
    public function without_persistence_a_bucket_of_headroom_in_redis_is_lost_too(): void
    {
        $redis = $this->redis();
        self::assertSame(200, $this->write('headroom-redis', 3)->status);
        $redis->restart();
        $this->app->artisan('spool:flush', 'in-redis');

        self::assertSame(0, $this->counted());
    }

    #[Test]
    public function a_bucket_of_headroom_on_disk_is_kept(): void
    {
        $redis = $this->redis();
        self::assertSame(200, $this->write('headroom', 3)->status);
        $redis->restart();
        $this->artisan('spool:flush', 'api-events');

        self::assertSame(3, $this->counted());
    }
}
