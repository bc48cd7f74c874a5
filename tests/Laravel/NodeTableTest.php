<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Database\NodeTable;
use Headroom\Spool\Monitoring\Heartbeat;
use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\QueryException;
use PDO;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A heartbeat waits for no other process, whichever process delivers.
 */
final class NodeTableTest extends TestCase
{
    #[Test]
    public function a_locked_table_of_postgresql_is_waited_for_as_long_as_a_connection(): void
    {
        $env = WorkbenchDatabase::PostgreSql->environment();
        $manager = new Manager;
        $manager->addConnection([
            'driver' => 'pgsql',
            'host' => $env['DB_HOST'],
            'port' => $env['DB_PORT'],
            'database' => $env['DB_DATABASE'],
            'username' => $env['DB_USERNAME'],
            'password' => $env['DB_PASSWORD'],
            'charset' => 'utf8',
            'prefix' => 'headroom_lock_',
        ]);
        $connection = $manager->getConnection();
        $connection->unprepared('drop table if exists headroom_lock_spool_nodes');
        $connection->unprepared(
            'create table headroom_lock_spool_nodes (node varchar(32), machine varchar(64), host varchar(255),'
                .' pid bigint, path text, since timestamp, last_seen timestamp, pending bigint, oldest_seconds bigint,'
                .' dead bigint, dropped bigint, troubled bigint, buckets text, primary key (node, machine))',
        );
        $nodes = new NodeTable($manager->getDatabaseManager());
        $beat = new Heartbeat(str_repeat('a', 32), 'machine', 'host', 1, '/buffer', []);

        try {
            self::assertTrue($nodes->beat($beat));
            self::assertCount(1, $nodes->all() ?? []);

            $other = new PDO(
                "pgsql:host={$env['DB_HOST']};port={$env['DB_PORT']};dbname={$env['DB_DATABASE']}",
                $env['DB_USERNAME'],
                $env['DB_PASSWORD'],
            );
            // Ends a process that waits without a limit, so that the test ends.
            $other->exec("set idle_in_transaction_session_timeout = '20s'");
            $other->exec('begin; lock table headroom_lock_spool_nodes in access exclusive mode');

            foreach ([static fn () => $nodes->beat($beat), $nodes->all(...)] as $ask) {
                try {
                    $ask();
                    self::fail('It had an answer.');
                } catch (QueryException $e) {
                    self::assertStringContainsString('statement timeout', $e->getMessage());
                }
            }

            $other->exec('rollback');
            self::assertTrue($nodes->beat($beat));
            self::assertSame(1, $nodes->forget($beat->node));
        } finally {
            $connection->unprepared('drop table headroom_lock_spool_nodes');
        }
    }
}
