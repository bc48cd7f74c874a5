<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad\Waits;

use Headroom\Doctor\UnderLoad\Waits\ProcessWaits;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Support\Redis\Installed;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Real processes that wait for Redis and for databases: the server at the other end is named by its program.
 */
final class ServerWaitsTest extends TestCase
{
    #[Test, Group('day-3')]
    public function redis_is_named_by_its_program(): void
    {
        Installed::phpRedis();
        $redis = RedisServer::start();
        $wait = (new Script(Script::BLPOP, (string) $redis->port))->comesTo(WaitKind::Reply);

        self::assertSame("127.0.0.1:{$redis->port} ({$redis->program()})", $wait->peer?->text());
    }

    #[Test, Group('day-3')]
    public function a_database_is_waited_for_beside_an_idle_redis(): void
    {
        Installed::phpRedis();
        $database = TestDatabase::MariaDb->server();
        $redis = RedisServer::start();
        $code = '$r = new Redis; $r->pconnect("127.0.0.1", (int) $argv[1]); $r->set("a", "b"); echo ".";'
            .' (new PDO($argv[2], $argv[3], $argv[4]))->query("SELECT SLEEP(600)");';
        $script = new Script(
            $code,
            (string) $redis->port,
            "mysql:host={$database['host']};port={$database['port']}",
            $database['username'],
            $database['password'],
        );
        $wait = $script->begun()->comesTo(WaitKind::Reply);

        self::assertSame("127.0.0.1:{$database['port']} (mariadbd)", $wait->peer?->text());

        // If its memory is unreadable, the kind of the two is unknown.
        $views = new Views($script->pid, 'mem');
        $wait = (new ProcessWaits([], $views->files()))->of([$script->pid])[0];
        self::assertSame(WaitKind::Unknown, $wait->kind);
        Sentence::assertNames(["/proc/{$script->pid}/mem", '2', "sudo strace -p {$script->pid}"], (string) $wait->why);
    }

    #[Test, Group('day-1')]
    public function redis_is_waited_for_beside_an_idle_database(): void
    {
        Installed::phpRedis();
        $database = TestDatabase::MariaDb->server();
        $redis = RedisServer::start();
        $code = '$p = new PDO($argv[2], $argv[3], $argv[4]); $p->query("SELECT 1"); echo "."; '.Script::BLPOP;
        $wait = (new Script(
            $code,
            (string) $redis->port,
            "mysql:host={$database['host']};port={$database['port']}",
            $database['username'],
            $database['password'],
        ))->begun()->comesTo(WaitKind::Reply);

        self::assertSame("127.0.0.1:{$redis->port} ({$redis->program()})", $wait->peer?->text());
    }

    #[Test, Group('day-3')]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function a_query_waits_for_its_server(TestDatabase $database): void
    {
        $server = $database->server();
        // PostgreSQL goes on for a client that is gone, and other tests would see its transaction.
        [$driver, $first, $query] = $database->isOfMysql()
            ? ['mysql', 'SELECT 1', 'SELECT SLEEP(600)']
            : ['pgsql', 'SET client_connection_check_interval = 500', 'SELECT pg_sleep(600)'];
        $program = [
            TestDatabase::MariaDb->value => 'mariadbd',
            TestDatabase::MySql->value => 'mysqld',
            TestDatabase::PostgreSql->value => 'postgres',
        ][$database->value] ?? '';
        $wait = (new Script(
            '$pdo = new PDO($argv[1], $argv[2], $argv[3]); $pdo->query($argv[4])->closeCursor();'
                .' $pdo->query($argv[5]);',
            "{$driver}:host={$server['host']};port={$server['port']};dbname={$server['database']}",
            $server['username'],
            $server['password'],
            $first,
            $query,
        ))->comesTo(WaitKind::Reply);

        self::assertSame("127.0.0.1:{$server['port']} ({$program})", $wait->peer?->text());
    }

    #[Test, Group('day-1')]
    public function without_the_call_the_kernels_function_and_the_only_connection_tell(): void
    {
        Installed::phpRedis();
        $redis = RedisServer::start();
        $script = new Script(Script::BLPOP, (string) $redis->port);
        $script->comesTo(WaitKind::Reply);

        foreach (['syscall', 'mem'] as $refused) {
            $views = new Views($script->pid, $refused);
            $wait = (new ProcessWaits([], $views->files()))->of([$script->pid])[0];

            self::assertSame(WaitKind::Reply, $wait->kind);
            self::assertSame("127.0.0.1:{$redis->port} ({$redis->program()})", $wait->peer?->text());
            Sentence::assertNames(["/proc/{$script->pid}/{$refused}"], (string) $wait->why);
        }

        $views = new Views($script->pid, 'syscall', 'wchan');
        self::assertSame(WaitKind::Unknown, (new ProcessWaits([], $views->files()))->of([$script->pid])[0]->kind);
    }
}
