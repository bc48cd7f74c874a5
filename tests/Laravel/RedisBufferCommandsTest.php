<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Spool\InvalidBucket;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Support\Dug;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * A bucket of which nothing but RedisBuffer knows that it is in Redis, and every command of the machine it was used on.
 */
#[Group('snapshot')]
final class RedisBufferCommandsTest extends ApplicationTestCase
{
    private RedisServer $redis;

    protected function setUp(): void
    {
        $this->redis = RedisServer::start();
        parent::setUp();
        copy(__DIR__.'/fixtures/article/redis.php', $this->app->path('routes/console.php'));
        file_put_contents($this->app->path('routes/console.php'), <<<'PHP'

            Artisan::command('app:call-disk {user}', function (int $user): void {
                Headroom\Laravel\Facades\FileSystemBuffer::buffer(['user_id' => $user, 'event' => 'call', 'endpoint' => 'api/users', 'ip' => null, 'created_at' => now()->toDateTimeString()], 'api-events');
            });

            Artisan::command('app:flush-disk', function (): int {
                return Headroom\Laravel\Facades\FileSystemBuffer::flush(fn (iterable $rows): bool => DB::table('api_events')->insert([...$rows]), 'api-events') ? 0 : 1;
            });
            PHP, FILE_APPEND);
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

    #[Test, Group('day-2')]
    public function every_command_knows_of_the_events_that_wait_there(): void
    {
        $this->ok('app:call', '7');

        self::assertSame([1, 1, 'redis'], $this->counted());
        self::assertSame(1, $this->app->artisan('spool:status', '--max-pending=0')->exit);
        $health = $this->app->artisan('spool:health');
        self::assertSame(1, $health->exit);
        self::assertStringContainsString(' FAIL  bucket api-events: ', $health->out);
        self::assertStringContainsString('(RedisBuffer::flush())', $health->out);
        self::assertStringContainsString('api_call', $this->ok('spool:peek', 'api-events')->out);
        self::assertSame(1, Dug::out($this->document('spool:verify'), 'buckets', 0, 'pending'));
        self::assertSame(0, Dug::out($this->document('spool:failed', 'api-events'), 'letters'));
        self::assertSame('api-events', Dug::out($this->document('spool:pause'), 'buckets', 0, 'bucket'));
        self::assertSame(1, $this->app->artisan('app:flush')->exit, 'It is paused in Redis.');
        self::assertSame(
            ['bucket' => 'api-events', 'resumed' => true],
            Dug::out($this->document('spool:resume'), 'buckets', 0),
        );
        self::assertSame(2, $this->app->artisan('spool:flush', 'api-events')->exit);
        $this->ok('app:flush');
        self::assertSame([7], $this->users());
        $this->ok('spool:health');
    }

    #[Test]
    public function the_line_of_redis_among_all_machines_counts_it(): void
    {
        $this->ok(
            'migrate',
            '--force',
            '--path='.dirname(__DIR__, 2).'/database/migrations/2026_01_01_000001_create_spool_nodes_table.php',
            '--realpath',
        );
        $this->ok('app:call', '7');

        self::assertMatchesRegularExpression('/^Redis +1 \w+ +1 /m', $this->ok('spool:status', '--all')->out);
    }

    #[Test]
    public function while_redis_is_down_commands_say_that_it_is_not_known(): void
    {
        $this->ok('app:call', '7');
        $this->redis->kill();

        self::assertMatchesRegularExpression('/^api-events: .*Redis /m', $this->app->artisan('spool:status')->all());
        $resume = $this->app->artisan('spool:resume');
        self::assertSame(1, $resume->exit);
        self::assertMatchesRegularExpression('/^api-events: .*Redis .*Connection refused/', $resume->all());
        Snapshot::assertPrinted(
            'spool:resume',
            'Redis is down',
            (string) preg_replace('/: Connection refused[^.]*/', '', $resume->all()),
        );
    }

    #[Test]
    public function another_machine_knows_of_it_once_it_has_flushed_there(): void
    {
        $this->ok('app:call', '7');
        $this->app->config('spool', "['path' => storage_path('of-another-machine')]");
        self::assertStringNotContainsString('api-events', $this->ok('spool:status')->out);
        $this->ok('app:flush');
        $this->ok('app:call', '8');

        self::assertSame([2, 1, 'redis'], $this->counted());
    }

    /** @return array<int, array{string}> */
    public static function flushes(): array
    {
        return Sample::of([
            ['app:flush'],
            ['app:flush-disk'],
        ], 1);
    }

    #[Test, Group('day-3')]
    #[DataProvider('flushes')]
    public function events_of_the_facade_for_files_are_brought_there_and_arrive_once(string $flush): void
    {
        $this->ok('app:call-disk', '6');
        $this->ok('app:flush-disk');
        $this->ok('app:call-disk', '7');
        $this->ok('app:call', '8');
        $this->ok('app:call-disk', '9');
        self::assertSame([3, 3, 'redis'], $this->counted(), 'What was delivered from disk before is none of theirs.');

        $this->ok($flush);
        $this->ok('app:flush');
        $this->ok('app:flush-disk');
        self::assertEqualsCanonicalizing([6, 7, 8, 9], $this->users());
        self::assertSame([3, 0, 'redis'], $this->counted());
    }

    #[Test]
    public function a_bucket_that_is_declared_on_disk_is_refused_and_not_flushed(): void
    {
        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'buckets' => ['api-events' => ['store' => 'file']]]",
        );
        $outcome = $this->app->artisan('app:call', '7');
        self::assertSame(1, $outcome->exit);
        $refusal = (string) preg_replace('/\s+/', '', InvalidBucket::isOnDisk('api-events', null)->getMessage());
        self::assertStringContainsString(substr($refusal, 0, 60), (string) preg_replace('/\s+/', '', $outcome->all()));
        $this->ok('app:call-disk', '7');
        $this->ok('app:flush');
        self::assertSame([], $this->users(), 'It is not one of those in Redis.');
        $this->ok('app:flush-disk');
        self::assertSame([7], $this->users());
        self::assertSame(0, $this->redis->ask('DBSIZE'));
    }

    #[Test]
    public function events_left_there_by_a_bucket_with_a_new_sink_on_disk_are_told(): void
    {
        $this->app->config('spool', "['path' => storage_path('buffer')]");
        $this->ok('app:call', '7');
        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'buckets' => ['api-events' => ['sink' => 'database', 'table' =>"
                ." 'api_events']]]",
        );
        $this->app->execute(
            'create table spool_ledger (source varchar(32), bucket varchar(64), position varchar(47), checksum'
                .' varchar(32), delivered integer, dead integer, updated_at datetime, primary key (source, bucket))',
        );
        $health = $this->app->artisan('spool:health');
        self::assertSame(1, $health->exit, $health->all());
        self::assertMatchesRegularExpression('/^ FAIL  bucket api-events: .*RedisBuffer/m', $health->out);

        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'buckets' => ['api-events' => ['sink' => 'database', 'table' =>"
                ." 'api_events', 'store' => 'redis']]]",
        );
        $this->ok('spool:flush');
        self::assertSame([7], $this->users());
        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'buckets' => ['api-events' => ['sink' => 'database', 'table' =>"
                ." 'api_events']]]",
        );
        self::assertStringNotContainsString('RedisBuffer', $this->app->artisan('spool:health')->out);
    }

    #[Test]
    public function where_redis_was_never_used_it_is_not_asked(): void
    {
        $this->redis->kill();
        $this->ok('app:call-disk', '7');
        $this->ok('app:flush-disk');
        $status = $this->ok('spool:status');

        self::assertStringNotContainsString('Redis', $status->all());
        self::assertStringNotContainsString('Redis', $this->ok('spool:health')->all());
        self::assertSame([7], $this->users());
    }

    /** @return array{int, int, string} */
    private function counted(): array
    {
        $status = json_decode($this->app->artisan('spool:status', '--json')->out, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($status);
        self::assertIsArray($status['buckets']);
        $bucket = $status['buckets'][0] ?? null;
        self::assertIsArray($bucket);
        self::assertSame('api-events', $bucket['bucket']);
        self::assertSame(0, $bucket['missing']);
        self::assertIsInt($bucket['accepted']);
        self::assertIsInt($bucket['pending']);
        self::assertIsString($bucket['store']);

        return [$bucket['accepted'], $bucket['pending'], $bucket['store']];
    }

    /** @return list<mixed> */
    private function users(): array
    {
        return array_column($this->app->rows('select user_id from api_events order by id'), 'user_id');
    }

    /** @return array<mixed> */
    private function document(string ...$arguments): array
    {
        $document = json_decode(
            $this->ok(...[...array_values($arguments), '--json'])->out,
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertIsArray($document);

        return $document;
    }

    private function ok(string ...$arguments): Outcome
    {
        $outcome = $this->app->artisan(...$arguments);
        self::assertSame(0, $outcome->exit, implode(' ', $arguments)."\n{$outcome->all()}{$this->app->log()}");

        return $outcome;
    }
}
