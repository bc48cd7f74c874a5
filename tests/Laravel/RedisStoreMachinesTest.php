<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\RedisStoreTestCase;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * Several machines whose buckets are in one Redis.
 */
#[Group('snapshot')]
final class RedisStoreMachinesTest extends RedisStoreTestCase
{
    #[Test, Group('day-1')]
    public function events_in_redis_are_counted_among_those_of_all_machines(): void
    {
        $this->useRedis('phpredis');
        $this->createNodes();
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
        $this->createNodes();
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
        $this->createNodes();
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

    private function createNodes(): void
    {
        $this->ok(
            'migrate',
            '--force',
            '--path='.dirname(__DIR__, 2).'/database/migrations/2026_01_01_000001_create_spool_nodes_table.php',
            '--realpath',
        );
    }
}
