<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\RedisStoreTestCase;
use Headroom\Tests\Laravel\Support\Worker;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * Events go through Redis, to disk while it is down, and to a database; the commands tell and refuse what they should.
 */
#[Group('snapshot')]
final class RedisStoreTest extends RedisStoreTestCase
{
    /** @return array<int, array{string}> */
    public static function clients(): array
    {
        return Sample::of([
            ['phpredis'],
            ['predis'],
        ], 1);
    }

    #[Test, Group('day-3')]
    #[DataProvider('clients')]
    public function events_go_through_redis_and_every_command_knows_of_them(string $client): void
    {
        $this->useRedis($client);
        $this->ok('app:buffer', '3');
        self::assertSame(3, $this->redis?->ask('XLEN', 'shop_{spool:api-events}:log'));
        $status = $this->json('spool:status');
        self::assertSame(
            [3, 0, 3, 'redis'],
            [$status['accepted'], $status['delivered'], $status['pending'], $status['store']],
        );
        self::assertStringContainsString('console-0', $this->ok('spool:peek', 'api-events')->out);
        $this->ok('spool:pause', 'api-events');
        self::assertSame('paused', $this->json('spool:flush')['outcome']);
        $this->ok('spool:resume');
        self::assertSame([3, 1], $this->ok('spool:flush')->numbers());
        self::assertSame([0, 0], $this->ok('spool:flush')->numbers());
        $this->ok('spool:verify');
        self::assertSame(
            0,
            ((array) json_decode($this->ok('spool:failed', 'api-events', '--json')->out, true))['letters'] ?? null,
        );
        $this->ok('spool:clean');
        $this->ok('spool:replay', 'api-events', '--from-now');
        self::assertSame([['n' => 3]], $this->app->rows('select count(*) as n from api_events'));
    }

    #[Test, Group('day-3')]
    public function while_redis_is_down_spool_resume_tells_the_unknown_buckets_and_fails(): void
    {
        $this->useRedis('phpredis');
        $this->ok('app:buffer', '1');
        $this->ok('spool:pause');
        $this->redis?->kill();
        $resume = $this->app->artisan('spool:resume');
        self::assertSame(1, $resume->exit, $resume->all());
        self::assertMatchesRegularExpression('/^api-events: .*Redis .*Connection refused/', $resume->err);
        self::assertSame('', $resume->out);
        self::assertSame(1, $this->app->artisan('spool:resume', 'api-events')->exit);

        $this->app->config('spool', "['path' => storage_path('buffer'), 'store' => 'redis']");
        $resume = $this->app->artisan('spool:resume', '--json');
        self::assertSame(1, $resume->exit, 'It is not known which others there are.');
        $document = (array) json_decode($resume->out, true, flags: JSON_THROW_ON_ERROR);
        self::assertSame([false, []], [$document['ok'], $document['buckets']]);
        $this->assertOnlyOfOthers($document['unknown']);
    }

    #[Test]
    #[Group('proof')]
    public function while_redis_is_down_spool_pause_pauses_the_disk_and_fails_for_the_rest(): void
    {
        $this->useRedis('phpredis');
        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'buckets' => ['api-events' => ['store' => 'redis', 'sink' =>"
                ." 'database', 'table' => 'api_events'], 'on-disk' => ['sink' => 'database', 'table' =>"
                ." 'api_events']]]",
        );
        $this->redis?->kill();
        $pause = $this->app->artisan('spool:pause');
        self::assertSame(1, $pause->exit, $pause->all());
        self::assertMatchesRegularExpression('/\Aon-disk: .*\n\z/', $pause->out);
        self::assertMatchesRegularExpression('/^api-events: .*Redis /', $pause->err);

        $this->app->config('spool', "['path' => storage_path('buffer'), 'store' => 'redis']");
        $pause = $this->app->artisan('spool:pause', '--json');
        self::assertSame(1, $pause->exit, 'It is not known which others there are.');
        $this->assertOnlyOfOthers(
            ((array) json_decode($pause->out, true, flags: JSON_THROW_ON_ERROR))['failed'] ?? null,
        );
    }

    #[Test, Group('day-1')]
    public function a_refused_event_is_shown_retried_and_exported(): void
    {
        $this->useRedis('phpredis');
        $this->ok('app:buffer', '1');
        $this->app->execute('create trigger no before insert on api_events begin select raise(abort, \'no\'); end');
        $this->app->artisan('spool:flush', '--bury');
        $this->app->execute('drop trigger no');
        $status = $this->json('spool:status');
        self::assertSame(
            [1, 0, 1, 1, 0],
            [$status['accepted'], $status['delivered'], $status['dead'], $status['letters'], $status['missing']],
        );
        self::assertStringContainsString('console-0', $this->ok('spool:failed:export', '--bucket=api-events')->out);
        $this->ok('spool:retry', '--bucket=api-events');
        $this->ok('spool:flush');
        $status = $this->json('spool:status');
        self::assertSame(
            [1, 1, 0, 0, 0],
            [$status['accepted'], $status['delivered'], $status['dead'], $status['letters'], $status['missing']],
        );
    }

    #[Test, Group('day-1')]
    public function a_worker_delivers_soon_and_brings_back_events_that_went_to_disk(): void
    {
        $this->useRedis('phpredis');
        $this->ok('app:buffer', '1');
        $worker = Worker::start($this->app, '--sleep=0.2');

        try {
            $this->awaitRows(1);
            $this->redis?->kill();
            $this->ok('app:buffer', '2');
            self::assertSame(2, $this->json('spool:status', 1)['on_disk']);
            $this->redis?->restart();
            $this->awaitRows(3);
        } finally {
            $worker->remove();
        }
    }

    #[Test, Group('day-1')]
    public function a_bucket_that_goes_from_disk_to_redis_and_back_and_again_arrives_once(): void
    {
        $this->useRedis('phpredis');
        $redis = $this->app->read('config/spool.php');
        $disk = str_replace("'store' => 'redis'", "'store' => 'file'", $redis);

        for ($round = 1; $round <= 2; $round++) {
            $this->app->write('config/spool.php', $disk);
            $this->ok('app:buffer', '1');
            $this->ok('spool:flush');
            $this->ok('app:buffer', '2');
            $this->app->write('config/spool.php', $redis);
            $this->ok('spool:flush');
            self::assertSame(
                [['n' => 3 * $round]],
                $this->app->rows('select count(*) as n from api_events'),
                "round {$round}",
            );
        }
    }

    #[Test, Group('day-3')]
    public function health_refuses_eviction_and_tells_the_loss_of_a_restart(): void
    {
        $this->useRedis('phpredis');
        $this->app->write(
            'config/spool.php',
            str_replace(
                "'buckets' => [",
                "'buckets' => ['audit' => ['sink' => 'database', 'table' => 'api_events'], ",
                $this->app->read('config/spool.php'),
            ),
        );
        $this->ok('app:buffer', '1');
        $health = $this->ok('spool:health');
        self::assertSame(
            1,
            substr_count($health->out, 'buckets audit, api-events, redis: '),
            'Once for all buckets of one server.',
        );
        preg_match('/^.*redis: .*$/m', $health->out, $note);
        Snapshot::assertPrinted('spool:health', 'Redis writes no append-only file', $note[0] ?? '');
        $this->redis?->ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
        $health = $this->app->artisan('spool:health');
        self::assertSame(1, $health->exit);
        self::assertMatchesRegularExpression('/FAIL .*maxmemory-policy.*allkeys-lru/', $health->out);
        $this->redis?->kill();
        $health = $this->app->artisan('spool:health');
        self::assertSame(1, $health->exit);
        self::assertMatchesRegularExpression('/FAIL .*redis: .*Redis /', $health->out);
        $this->ok('app:buffer', '1');
        self::assertSame('redis', $this->json('spool:status', 1)['refusing']);
    }

    #[Test, Group('day-2')]
    #[TestWith(['phpredis', 'read_timeout'])]
    #[TestWith(['predis', 'read_write_timeout'])]
    public function health_tells_of_an_append_that_outwaits_its_connection_for_replicas(
        string $client,
        string $limit,
    ): void {
        $this->useRedis($client, '');
        $replica = RedisServer::replicaOf($this->redis ?? self::fail());
        $database = $this->app->read('config/database.php');
        $spool = $this->app->read('config/spool.php');
        $health = function (int $waitMillis, ?float $seconds) use ($database, $spool, $limit): Outcome {
            $this->app->write(
                'config/spool.php',
                str_replace(
                    "'store' => 'redis'",
                    "'store' => 'redis', 'redis' => ['wait' => 1, 'wait_ms' => {$waitMillis}]",
                    $spool,
                ),
            );
            $this->app->write(
                'config/database.php',
                $seconds === null
                    ? $database
                    : str_replace("'host' => ", "'{$limit}' => {$seconds}, 'host' => ", $database),
            );

            return $this->ok('spool:health');
        };

        self::assertStringNotContainsString('wait_ms', $health(999, null)->out);
        self::assertMatchesRegularExpression(
            "/NOTE  bucket api-events, redis: spool\\.redis\\.wait_ms .* 1000\\b.*'default' .* 1000 ms /",
            $health(1000, null)->out,
        );
        self::assertMatchesRegularExpression(
            "/spool\\.redis\\.wait_ms .* 9000\\b.*'default' .* 8750 ms /",
            $health(9000, 8.75)->out,
        );
        self::assertStringNotContainsString('wait_ms', $health(2500, 3.0)->out);
        $replica->stop();
    }

    /** Checks the message about buckets that only Redis knows, while Redis does not answer. */
    private function assertOnlyOfOthers(mixed $failures): void
    {
        self::assertIsArray($failures);
        self::assertCount(1, $failures);
        self::assertIsArray($failures[0]);
        self::assertIsString($failures[0]['bucket']);
        self::assertStringNotContainsString('api-events', $failures[0]['bucket']);
        self::assertIsString($failures[0]['error']);
        self::assertStringContainsString('Redis ', $failures[0]['error']);
    }

    private function awaitRows(int $count): void
    {
        Patience::until(
            fn (): bool => $this->app->rows('select count(*) as n from api_events') === [['n' => $count]],
            "{$count} rows arrived",
        );
    }
}
