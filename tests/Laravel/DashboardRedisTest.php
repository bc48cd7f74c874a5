<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\DashboardTestCase;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Attributes\Test;

/**
 * A bucket in Redis, and a Redis that hangs.
 */
final class DashboardRedisTest extends DashboardTestCase
{
    private const BUCKET = 'page-views-redis';

    private ?RedisServer $redis = null;

    protected function setUp(): void
    {
        $this->redis = RedisServer::start();
        $this->boot(['REDIS_HOST' => '127.0.0.1', 'REDIS_PORT' => (string) $this->redis->port])->migrate();
        $this->set('database.redis.default.read_timeout', 0.3);
        $this->open();
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        $this->redis?->stop();
    }

    #[Test]
    public function its_events_and_dead_letters_are_shown_retried_and_forgotten(): void
    {
        $this->buffer(self::BUCKET, ...array_map(
            static fn (int $number): array => ['nocolumn' => "x{$number}", 'password' => 'geheim'],
            range(1, 250),
        ));
        $events = $this->json('buckets/'.self::BUCKET.'/events?limit=3');
        self::assertCount(3, self::list($events, 'events'));
        self::assertTrue($events['more']);
        self::assertStringNotContainsString('geheim', json_encode($events, JSON_THROW_ON_ERROR));
        $this->app()->artisan('spool:flush', ['bucket' => self::BUCKET, '--bury' => true]);

        $dead = $this->json('buckets/'.self::BUCKET.'/dead');
        $ids = self::ids($dead);
        self::assertSame([250, 50], [$dead['total'], count($ids)]);
        self::assertIsString($dead['next']);
        $second = $this->json('buckets/'.self::BUCKET."/dead?after={$dead['next']}");
        self::assertSame([], array_intersect($ids, self::ids($second)));

        self::assertSame(2, $this->done('forget', ['ids' => array_slice($ids, 0, 2)]));
        self::assertSame(248, $this->done('retry', ['all' => true]));
        self::assertSame(0, $this->json('buckets/'.self::BUCKET.'/dead')['total']);
        self::assertSame(248, $this->bucket(self::BUCKET)['pending']);
    }

    #[Test]
    public function a_pause_is_in_redis_and_names_the_machine_too(): void
    {
        $this->buffer(self::BUCKET, ['url' => '/']);
        self::assertSame(1, $this->done('pause', []));
        $pause = $this->bucket(self::BUCKET)['paused'];
        self::assertIsArray($pause);
        self::assertIsString($pause['by']);
        self::assertStringStartsWith('user 7 of the dashboard on ', $pause['by']);
    }

    #[Test]
    public function a_redis_that_hangs_is_the_error_of_its_bucket_alone(): void
    {
        $this->buffer(self::BUCKET, ['url' => '/']);
        $this->buffer('page_visits', ['url' => '/']);
        $this->bucket(self::BUCKET);
        $this->app()->app->forgetInstance(\Headroom\Spool\Services\SpoolServices::class);
        $this->redis?->freeze();

        try {
            @unlink($this->app()->app->storagePath('framework/headroom-now.json'));
            self::assertSame('error', $this->bucket(self::BUCKET)['state']);
            self::assertSame(['waiting', 1], [
                $this->bucket('page_visits')['state'], $this->bucket('page_visits')['pending'],
            ]);
        } finally {
            $this->redis?->thaw();
        }
    }

    /**
     * @param array<string, mixed> $page
     * @return list<string>
     */
    private static function ids(array $page): array
    {
        return array_values(array_filter(array_column(self::list($page, 'letters'), 'id'), is_string(...)));
    }

    /** @param array<string, mixed> $body */
    private function done(string $action, array $body): int
    {
        $answer = self::decoded($this->act($action, ['bucket' => self::BUCKET, ...$body]));
        self::assertIsInt($answer['done'] ?? null, json_encode($answer, JSON_THROW_ON_ERROR));
        self::assertSame(0, $answer['remaining']);

        return $answer['done'];
    }
}
