<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * docs/from-laravel-spool.md, "Callbacks with Redis": code that was written for that package's Redis driver,
 * against a real server.
 */
final class RedisBufferTest extends ApplicationTestCase
{
    private RedisServer $redis;

    protected function setUp(): void
    {
        $this->redis = RedisServer::start();
        parent::setUp();
        copy(__DIR__.'/fixtures/article/redis.php', $this->app->path('routes/console.php'));
        $this->app->config(
            'database',
            "['default' => 'sqlite', 'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' =>"
                ." database_path('database.sqlite'), 'prefix' => '']], 'redis' => ['client' => 'phpredis', 'default' =>"
                ." ['timeout' => 5, 'read_timeout' => 5, 'host' => '127.0.0.1', 'port' => {$this->redis->port}]]]",
        );
        $this->app->execute(
            'create table api_events (id integer primary key, user_id integer, event text, endpoint text, ip text,'
                .' created_at datetime)',
        );
    }

    protected function tearDown(): void
    {
        parent::tearDown();

        if (isset($this->redis)) {
            $this->redis->stop();
        }
    }

    #[Test]
    public function it_buffers_in_redis_and_listens_until_it_is_told_to_end(): void
    {
        $this->artisan('app:call', '7');
        self::assertSame(1, $this->redis->ask('XLEN', '{spool:api-events}:log'));

        $listener = $this->listen(600);
        $this->awaitUsers([7]);
        $this->artisan('app:call', '8');
        $this->awaitUsers([7, 8]);
        $listener->signal(SIGTERM);
        self::assertSame(0, $listener->wait());
        self::assertSame(0, $this->redis->ask('EXISTS', '{spool:api-events}:owner'));
        self::assertSame('', $this->app->log());
    }

    #[Test]
    public function waiting_events_of_an_undeclared_bucket_are_counted(): void
    {
        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'buckets' => ['others' => ['sink' => 'memory', 'store' => 'redis']]]",
        );
        $this->artisan('app:call', '7');
        self::assertSame([null, 1, 0, 1, 'redis'], $this->counted());

        $this->listen(1)->wait();
        self::assertSame(['callback', 1, 1, 0, 'redis'], $this->counted());
        self::assertSame(0, $this->app->artisan('spool:status')->exit);
    }

    /** @return list<mixed> */
    private function counted(): array
    {
        $status = json_decode($this->app->artisan('spool:status', '--json')->out, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($status);
        self::assertIsArray($status['buckets']);
        self::assertIsArray($status['buckets'][0]);

        return array_map(
            static fn (string $key): mixed => $status['buckets'][0][$key],
            ['sink', 'accepted', 'delivered', 'pending', 'store'],
        );
    }

    #[Test]
    public function spool_restart_and_the_time_limit_end_a_listener(): void
    {
        $this->artisan('app:call', '7');
        $listener = $this->listen(600);
        $this->awaitUsers([7]);
        $this->artisan('spool:restart');
        self::assertSame(0, $listener->wait());
        self::assertSame(0, $this->listen(1)->wait());
    }

    #[Test]
    public function while_its_table_is_gone_events_wait_in_redis_and_the_listener_goes_on(): void
    {
        $this->app->execute('alter table api_events rename to aside');
        $this->artisan('app:call', '7');
        $listener = $this->listen(600);
        Patience::until(fn (): bool => str_contains($this->app->log(), 'no such table: api_events'), 'the log tells');
        $this->app->execute('alter table aside rename to api_events');
        $this->awaitUsers([7]);
        $listener->stop(10, SIGTERM);
    }

    #[Test, Group('day-1')]
    public function after_a_flusher_is_killed_in_the_callback_its_events_are_handed_over_again(): void
    {
        $this->app->config('spool', "['path' => storage_path('buffer'), 'redis' => ['takeover' => 5]]");
        $this->artisan('app:call', '7');
        $dying = $this->app->process([PHP_BINARY, 'artisan', 'app:die']);
        $dying->start();
        Patience::until(fn (): bool => ! $dying->isRunning(), 'it is dead');
        self::assertTrue($dying->hasBeenSignaled());
        self::assertSame([7], $this->users());
        Patience::until(fn (): bool => $this->app->artisan('app:flush')->exit === 0, 'it is taken over');
        self::assertSame([7, 7], $this->users());
        $this->artisan('app:flush');
        self::assertSame([7, 7], $this->users());
    }

    #[Test]
    public function an_event_that_redis_does_not_take_waits_on_disk_and_is_flushed(): void
    {
        $this->redis->kill();
        $this->artisan('app:call', '7');
        $this->redis->restart();
        $this->artisan('app:call', '8');
        $this->artisan('app:flush');
        self::assertEqualsCanonicalizing([7, 8], $this->users());
    }

    #[Test]
    public function a_flush_that_cannot_reach_redis_fails_and_logs_the_reason(): void
    {
        $this->artisan('app:call', '7');
        $this->redis->kill();
        $outcome = $this->app->artisan('app:flush');
        self::assertSame(1, $outcome->exit);
        Sentence::assertIn(RedisFailure::notReached(Sentence::ANY), $outcome->all());
        $logged = fn (): int => (int) preg_match_all("/spool: .*'api-events' .*Connection refused/", $this->app->log());
        self::assertSame(1, $logged());
        self::assertSame(0, $this->listen(3)->wait());
        self::assertSame(1, $logged(), 'Once a minute, whichever process meets it.');
    }

    #[Test]
    public function the_facade_for_files_flushes_events_that_its_settings_put_into_redis(): void
    {
        copy(__DIR__.'/fixtures/article/console.php', $this->app->path('routes/console.php'));
        $this->app->config('spool', "['path' => storage_path('buffer'), 'store' => 'redis']");
        $this->artisan('app:call', '7');
        self::assertSame(1, $this->redis->ask('XLEN', '{spool:api-events}:log'));
        $this->artisan('schedule:run');
        self::assertSame([7], $this->users());
    }

    #[Test]
    public function a_bucket_that_spool_flush_delivers_from_disk_is_refused(): void
    {
        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'buckets' => ['api-events' => ['sink' => 'database', 'table' =>"
                ." 'api_events']]]",
        );
        $outcome = $this->app->artisan('app:call', '7');
        self::assertSame(1, $outcome->exit);
        Sentence::assertNames(["'api-events'", "'database'"], $outcome->all());
        self::assertSame(0, $this->redis->ask('EXISTS', '{spool:api-events}:log'));
    }

    private function listen(int $seconds): Process
    {
        $listener = $this->app->process([PHP_BINARY, 'artisan', 'app:listen', (string) $seconds]);
        $listener->start();

        return $listener;
    }

    /** @param list<int> $users */
    private function awaitUsers(array $users): void
    {
        Patience::until(fn (): bool => $this->users() === $users, implode(', ', $users).' arrived');
    }

    /** @return list<mixed> */
    private function users(): array
    {
        return array_column($this->app->rows('select user_id from api_events order by id'), 'user_id');
    }

    private function artisan(string ...$arguments): Outcome
    {
        $outcome = $this->app->artisan(...$arguments);
        self::assertSame(0, $outcome->exit, $outcome->all().$this->app->log());

        return $outcome;
    }
}
