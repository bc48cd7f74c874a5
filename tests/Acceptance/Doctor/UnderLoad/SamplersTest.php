<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad;

use Headroom\Core\SystemClock;
use Headroom\Doctor\Database\DatabaseProbe;
use Headroom\Doctor\Redis\RedisAddress;
use Headroom\Doctor\UnderLoad\Samplers\AllSamplers;
use Headroom\Doctor\UnderLoad\Samplers\DatabaseSampler;
use Headroom\Doctor\UnderLoad\Samplers\PoolSampler;
use Headroom\Doctor\UnderLoad\Samplers\RedisSampler;
use Headroom\Tests\Acceptance\Doctor\Stack;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Support\Redis\RedisServer;
use PDO;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Redis;
use Symfony\Component\Process\Process;

/**
 * The samplers count the work of other clients on real servers, and not the doctor's own queries.
 */
final class SamplersTest extends TestCase
{
    #[Test]
    public function redis_counts_connections_and_commands_of_others(): void
    {
        $server = RedisServer::start();
        $meter = new RedisSampler(new RedisAddress("tcp://127.0.0.1:{$server->port}"));
        $before = $meter->read();
        $meter->read();

        for ($i = 0; $i < 5; $i++) {
            $redis = new Redis;
            $redis->connect('127.0.0.1', $server->port);
            $redis->ping();
            $redis->close();
        }

        $rise = $meter->read()->since($before);

        self::assertSame(5, $rise->connections);
        self::assertGreaterThanOrEqual(5, $rise->commands);
        self::assertSame(["127.0.0.1:{$server->port}", "127.0.0.1:{$server->port}"], [$rise->place, $rise->peer]);
        self::assertSame(
            "127.0.0.1:{$server->port}",
            (new RedisSampler(new RedisAddress("tcp://localhost:{$server->port}")))->read()->peer,
            'By what a socket has for it.',
        );
    }

    /** @param array<string, string> $edits */
    #[Test, Group('day-1')]
    #[TestWith([[]], 'its page has a listener of its own')]
    #[TestWith([['pm.status_listen = %DIR%/status.sock' => '']], 'its page is asked of the pool itself')]
    public function a_pool_counts_the_requests_of_others(array $edits): void
    {
        $stack = new Stack(fpm: $edits);

        $told = [];

        // Of a question that had no answer nothing tells whether the pool has counted it.
        for ($try = 1; $try <= 10 && ($told === [] || in_array(null, $told, true)); $try++) {
            $meter = new PoolSampler($stack->pools()->pools[0]);
            $told = [$meter->read()->accepted, $meter->read()->accepted];

            for ($request = 0; $request < 3; $request++) {
                $stack->get();
                $told[] = $meter->read()->accepted;
            }
        }

        self::assertSame(3, (int) end($told) - (int) reset($told));
    }

    #[Test]
    public function a_server_that_goes_is_told_of_once_and_the_rest_goes_on(): void
    {
        $server = RedisServer::start();
        $sampler = new AllSamplers(
            new SystemClock,
            redis: [new RedisSampler(new RedisAddress("tcp://127.0.0.1:{$server->port}"))],
        );
        self::assertCount(1, $sampler->sample()->redis);
        $place = "tcp://127.0.0.1:{$server->port}";
        unset($server);

        self::assertSame([], $sampler->sample()->redis);
        self::assertSame([], $sampler->sample()->redis);
        self::assertCount(1, $sampler->missingData());
        self::assertStringContainsString($place, $sampler->missingData()[0]->reason);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function an_sql_server_counts_connections_statements_and_lock_waits(TestDatabase $database): void
    {
        $pdo = self::connection($database);
        $pdo->exec('drop table if exists headroom_meter');
        $pdo->exec('create table headroom_meter (id int primary key, n int)');
        $pdo->exec('insert into headroom_meter values (1, 0)');
        $meter = new DatabaseSampler(
            (new DatabaseProbe($pdo))->facts()->engine,
            '127.0.0.1:1',
            self::connection($database),
        );
        $before = $meter->read();

        try {
            $pdo->beginTransaction();
            $pdo->exec('update headroom_meter set n = 1');
            $server = $database->server();
            $other = new Process([
                PHP_BINARY,
                '-r',
                '(new PDO($argv[1], $argv[2], $argv[3]))->exec("update headroom_meter set n = 2");',
                self::dsn($database),
                $server['username'],
                $server['password'],
            ]);
            $other->start();

            $seen = $meter->read();

            for ($look = 0; $look < 100 && $seen->lockWaits === 0; $look++) {
                usleep(50_000);
                $seen = $meter->read();
            }

            self::assertSame(1, $seen->lockWaits);
            self::assertGreaterThanOrEqual(1, $seen->running);
            $pdo->commit();
            $other->wait();

            // PostgreSQL counts a session when its process has told of it.
            for ($look = 0; $look < 100 && ($meter->read()->connections ?? 0) <= ($before->connections ?? 0); $look++) {
                usleep(50_000);
            }

            self::assertGreaterThan($before->connections, $meter->read()->connections);
            self::assertGreaterThan($before->statements, $meter->read()->statements);
        } finally {
            $pdo->exec('drop table headroom_meter');
        }
    }

    private static function connection(TestDatabase $database): PDO
    {
        $server = $database->server();

        return new PDO(self::dsn($database), $server['username'], $server['password']);
    }

    private static function dsn(TestDatabase $database): string
    {
        $server = $database->server();

        return ($database->isOfMysql() ? 'mysql' : 'pgsql')
            .":host={$server['host']};port={$server['port']};dbname={$server['database']}";
    }
}
