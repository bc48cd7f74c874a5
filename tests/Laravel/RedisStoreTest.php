<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Laravel\Support\Worker;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * An application whose buckets are in Redis, through its own commands in processes of their own.
 */
#[Group('snapshot')]
final class RedisStoreTest extends TestCase
{
    private ScratchApplication $app;

    private ?RedisServer $redis = null;

    protected function setUp(): void
    {
        $this->app = ScratchApplication::onThisCheckout();
    }

    protected function tearDown(): void
    {
        $this->app->remove();
        $this->redis?->stop();
    }

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

    #[Test, Group('day-1')]
    public function events_in_redis_are_counted_among_those_of_all_machines(): void
    {
        $this->useRedis('phpredis');
        $this->ok(
            'migrate',
            '--force',
            '--path='.dirname(__DIR__, 2).'/database/migrations/2026_01_01_000001_create_spool_nodes_table.php',
            '--realpath',
        );
        $this->ok('app:buffer', '3');
        $this->ok('spool:status', '--all', '--max-pending=3');
        $status = $this->app->artisan('spool:status', '--all', '--max-pending=2');
        self::assertSame(1, $status->exit, $status->all());
        self::assertMatchesRegularExpression('/^Redis +1 \w+ +3 /m', $status->out);
        self::assertStringContainsString(
            '"redis":[{"bucket":"api-events","pending":3,"error":null}]',
            (string) preg_replace('/\s+/', '', $this->ok('spool:status', '--all', '--json')->out),
        );

        $this->redis?->kill();
        $status = $this->app->artisan('spool:status', '--all');
        self::assertSame(1, $status->exit, $status->all());
        self::assertMatchesRegularExpression('/api-events: .*Redis /', $status->out);
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

    #[Test, Group('day-2')]
    public function spool_adopt_counts_the_events_of_that_disk_and_no_others_of_redis(): void
    {
        $this->useRedis('phpredis');
        $here = $this->app->read('config/spool.php');
        $this->app->write('config/spool.php', str_replace("storage_path('buffer')", "storage_path('gone')", $here));
        $this->redis?->kill();
        $this->ok('app:buffer', '2');
        $this->redis?->restart();
        $this->app->write('config/spool.php', $here);
        $this->app->execute('alter table api_events rename to aside');
        $this->ok('app:buffer', '5');
        $gone = $this->app->path('storage/gone');

        self::assertSame([2, 0, 0, 0, 2, 0], $this->ok('spool:adopt', $gone, '--dry-run')->numbers());
        // Though the sink is broken.
        $adopted = $this->ok('spool:adopt', $gone, '--force');
        self::assertSame([2, 2, 0, 0, 0, 0], array_slice($adopted->numbers(), -6));
        $lines = explode("\n", trim($adopted->out));
        Snapshot::assertPrinted(
            'spool:adopt',
            'everything is delivered or in Redis',
            implode("\n", array_slice($lines, -2)),
        );
        $json = $this->json("spool:adopt {$gone}");
        self::assertSame([2, 2, 0, 'redis'], [$json['accepted'], $json['delivered'], $json['pending'], $json['store']]);

        $this->app->execute('alter table aside rename to api_events');
        $this->ok('spool:flush', '--now');
        self::assertSame([['n' => 7]], $this->app->rows('select count(*) as n from api_events'));
    }

    #[Test]
    #[Group('proof')]
    public function spool_adopt_is_done_though_another_machine_owns_the_bucket(): void
    {
        $this->useRedis('phpredis');
        $here = $this->app->read('config/spool.php');
        $this->app->write('config/spool.php', str_replace("storage_path('buffer')", "storage_path('gone')", $here));
        $this->redis?->kill();
        $this->ok('app:buffer', '2');
        $this->redis?->restart();
        $this->app->write('config/spool.php', $here);
        $this->redis?->ask('SET', 'shop_{spool:api-events}:owner', 'abc elsewhere 1');

        $this->ok('spool:adopt', $this->app->path('storage/gone'), '--force');
        self::assertSame(2, $this->redis?->ask('XLEN', 'shop_{spool:api-events}:log'));
    }

    #[Test]
    #[Group('proof')]
    public function a_machine_that_has_nothing_on_disk_is_one_of_all_machines(): void
    {
        $this->useRedis('phpredis');
        $this->ok(
            'migrate',
            '--force',
            '--path='.dirname(__DIR__, 2).'/database/migrations/2026_01_01_000001_create_spool_nodes_table.php',
            '--realpath',
        );
        $this->ok('spool:flush');
        self::assertSame(
            [],
            $this->app->rows('select * from spool_nodes'),
            'Before the first event there is nothing to tell.',
        );
        $this->ok('app:buffer', '2');
        $this->ok('spool:flush');
        self::assertSame(
            [['path' => $this->app->path('storage/buffer'), 'pending' => 0]],
            $this->app->rows('select path, pending from spool_nodes'),
        );
        self::assertDirectoryDoesNotExist($this->app->path('storage/buffer/buckets'));
        self::assertMatchesRegularExpression('/^\w+ +1 \w+ +0$/m', $this->ok('spool:status', '--all')->out);
        $this->ok('spool:health');

        $here = $this->app->read('config/spool.php');
        $this->app->write('config/spool.php', str_replace("storage_path('buffer')", "storage_path('other')", $here));
        $this->redis?->ask('SET', 'shop_{spool:api-events}:owner', 'abc elsewhere 1');
        $this->ok('app:buffer', '1');
        $this->ok('spool:flush');
        self::assertCount(
            2,
            $this->app->rows('select * from spool_nodes'),
            'Though it was never the one that flushes.',
        );
        $this->redis?->kill();
        $this->ok('app:buffer', '1');
        self::assertSame(1, $this->json('spool:status', 1)['on_disk']);
    }

    #[Test, Group('day-2')]
    public function a_machine_that_is_forgotten_is_forgotten_by_redis_too(): void
    {
        $this->useRedis('phpredis');
        $this->ok(
            'migrate',
            '--force',
            '--path='.dirname(__DIR__, 2).'/database/migrations/2026_01_01_000001_create_spool_nodes_table.php',
            '--realpath',
        );
        $this->redis?->kill();
        $this->ok('app:buffer', '1');
        $this->redis?->restart();
        $this->ok('spool:flush');
        $node = $this->app->rows('select node from spool_nodes')[0]['node'];
        self::assertIsString($node);
        $fields = fn (): mixed => $this->redis?->ask('HEXISTS', 'shop_{spool:api-events}:meta', "drained:{$node}");
        self::assertSame(1, $fields());
        $this->app->execute("update spool_nodes set last_seen = '2020-01-01 00:00:00'");

        $this->redis?->freeze();
        $refused = $this->app->artisan('spool:forget-node', $node);
        $this->redis?->thaw();
        self::assertSame(1, $refused->exit);
        self::assertStringContainsString('Redis', $refused->err);
        self::assertCount(1, $this->app->rows('select * from spool_nodes'), 'It can be done again.');
        $this->ok('spool:forget-node', '--empty');
        self::assertSame(0, $fields());
        self::assertSame([], $this->app->rows('select * from spool_nodes'));
    }

    /** @param string $limits in seconds; on a busy machine a server may say nothing for one, which is the default */
    private function useRedis(
        string $client,
        string $limits = "'timeout' => 5, 'read_timeout' => 5, 'read_write_timeout' => 5, ",
    ): void {
        $this->redis = RedisServer::start();
        $this->app->config(
            'database',
            "['default' => 'sqlite', 'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' =>"
                ." database_path('database.sqlite'), 'prefix' => '']], 'redis' => ['client' => '{$client}', 'options'"
                ." => ['prefix' => 'shop_'], 'default' => [{$limits}'host' => '127.0.0.1', 'port' =>"
                ." {$this->redis->port}]]]",
        );
        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'store' => 'redis', 'buckets' => ['api-events' => ['sink' =>"
                ." 'database', 'table' => 'api_events']]]",
        );
        $this->app->migrate();
    }

    /** What is said of buckets that Redis alone knows of, while it does not answer. */
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

    /** @return array<string, mixed> of the only bucket */
    private function json(string $command, int $exit = 0): array
    {
        $outcome = $this->app->artisan(...[
            ...explode(' ', $command), '--json', ...(str_starts_with($command, 'spool:adopt') ? ['--force'] : []),
        ]);
        self::assertSame($exit, $outcome->exit, $outcome->all().$this->app->log());
        $document = json_decode($outcome->out, true, flags: JSON_THROW_ON_ERROR);
        $bucket = is_array($document) && is_array($document['buckets'] ?? null)
            ? $document['buckets'][0] ?? null
            : null;
        self::assertIsArray($bucket);

        /** @var array<string, mixed> $bucket */
        return $bucket;
    }

    private function ok(string ...$arguments): Outcome
    {
        $outcome = $this->app->artisan(...$arguments);
        self::assertSame(0, $outcome->exit, implode(' ', $arguments)."\n{$outcome->all()}{$this->app->log()}");

        return $outcome;
    }
}
