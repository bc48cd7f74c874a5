<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Database;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\Database\OpenTransaction;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Report;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Status;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Doctor\Support\Applications;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class DatabaseChecksTest extends TestCase
{
    private const MYSQL = [
        'max_connections' => '151',
        'innodb_flush_log_at_trx_commit' => '1',
        'slow_query_log' => 'ON',
        'long_query_time' => '0.200000',
        'innodb_buffer_pool_size' => '134217728',
    ];

    private const POSTGRES = [
        'max_connections' => '100',
        'synchronous_commit' => 'on',
        'log_min_duration_statement' => '200',
    ];

    /**
     * @return iterable<string, array{
     *     string, Engine, array<string, string>, array<string, string>, array<string, mixed>, list<string>,
     * }> the last is what the message names
     */
    public static function firing(): iterable
    {
        yield 'full once' => ['D1', Engine::Mysql, [], ['max_used_connections' => '129'], [], ['129', '151']];
        yield 'turned away' => ['D1', Engine::Mariadb, [], ['connection_errors_max_connections' => '7'], [], ['7']];
        yield 'PostgreSQL is full' => ['D1', Engine::Postgres, [], ['connections' => '86'], [], ['86', '100']];
        yield 'persistent' => [
            'D3',
            Engine::Mysql,
            [],
            [],
            ['database.connections.mysql.options' => [12 => true]],
            ["'mysql'"],
        ];
        yield 'sessions in it' => ['D4', Engine::Mysql, [], [], ['session.driver' => 'database'], ['MySQL']];
        yield 'cache and queue in it' => [
            'D4',
            Engine::Postgres,
            [],
            [],
            ['cache.default' => 'database', 'queue.default' => 'database'],
            ['cache', 'queue', 'PostgreSQL'],
        ];
        yield 'deadlocks of MariaDB' => ['D6', Engine::Mariadb, [], ['innodb_deadlocks' => '3'], [], ['3']];
        yield 'deadlocks of MySQL' => ['D6', Engine::Mysql, [], ['lock_deadlocks' => '2'], [], ['2']];
        yield 'deadlocks of PostgreSQL' => ['D6', Engine::Postgres, [], ['deadlocks' => '1'], [], ['1']];
        yield 'a small pool' => [
            'D7',
            Engine::Mysql,
            [],
            ['innodb_buffer_pool_read_requests' => '200000', 'innodb_buffer_pool_reads' => '5000'],
            [],
            ['2.5 %'],
        ];
        yield 'small buffers' => [
            'D7',
            Engine::Postgres,
            [],
            ['blks_hit' => '90000', 'blks_read' => '10000'],
            [],
            ['10.0 %'],
        ];
        yield 'no log' => ['D8', Engine::Mysql, ['slow_query_log' => 'OFF'], [], [], []];
        yield 'a log of ten seconds' => [
            'D8',
            Engine::Mysql,
            ['long_query_time' => '10.000000'],
            [],
            [],
            ['10.000000'],
        ];
        yield 'no log of PostgreSQL' => ['D8', Engine::Postgres, ['log_min_duration_statement' => '-1'], [], [], []];
        yield 'an old MariaDB' => [
            'L10',
            Engine::Mariadb,
            ['version' => '10.5.23-MariaDB'],
            [],
            ['queue.default' => 'database'],
            ['10.5.23-MariaDB'],
        ];
        yield 'an old MySQL' => [
            'L10',
            Engine::Mysql,
            ['version' => '5.7.44-log'],
            [],
            ['queue.default' => 'database'],
            ['5.7.44-log'],
        ];
    }

    /**
     * @param array<string, string> $variables
     * @param array<string, string> $status
     * @param array<string, mixed> $config
     * @param list<string> $shown
     */
    #[Test]
    #[DataProvider('firing')]
    public function it_fires(
        string $id,
        Engine $engine,
        array $variables,
        array $status,
        array $config,
        array $shown,
    ): void {
        $problems = self::examined($id, $engine, $variables, $status, $config)->problems();

        self::assertCount(1, $problems);
        Examined::shows($shown, $problems[0]->finding->message);
        // Their fixes change nothing on this machine.
        self::assertSame(in_array($id, ['D6', 'L10'], true), $problems[0]->finding->fix?->rollback === '');
    }

    #[Test]
    #[Group('snapshot')]
    public function each_problem_has_its_message(): void
    {
        $words = '';

        foreach (self::firing() as $name => [$id, $engine, $variables, $status, $config]) {
            $words .= "{$id}, {$name}: "
                .self::examined($id, $engine, $variables, $status, $config)->problems()[0]->finding->message."\n";
        }

        Snapshot::assertPrinted('doctor database', 'problems', $words);
    }

    /**
     * @return iterable<string, array{
     *     string, Engine, array<string, string>, array<string, string>, array<string, mixed>, Status,
     * }>
     */
    public static function quiet(): iterable
    {
        foreach ([Engine::Mysql, Engine::Mariadb, Engine::Postgres] as $engine) {
            foreach (['D1', 'D3', 'D4', 'D5', 'D8'] as $id) {
                yield "{$id}: a good {$engine->value}" => [$id, $engine, [], [], [], Status::Pass];
            }
        }

        yield 'D6: no deadlock' => ['D6', Engine::Mariadb, [], [], [], Status::Pass];
        yield 'D6: MySQL does not tell every user' => ['D6', Engine::Mysql, [], [], [], Status::Unknown];
        yield 'D6: no deadlock of MySQL' => ['D6', Engine::Mysql, [], ['lock_deadlocks' => '0'], [], Status::Pass];
        yield 'D7: a server that has just started' => [
            'D7',
            Engine::Mysql,
            [],
            ['innodb_buffer_pool_read_requests' => '99999', 'innodb_buffer_pool_reads' => '90000'],
            [],
            Status::Pass,
        ];
        yield 'D7: 99 of 100' => [
            'D7',
            Engine::Postgres,
            [],
            ['blks_hit' => '990000', 'blks_read' => '10000'],
            [],
            Status::Pass,
        ];
        yield 'D1: 85 of 100' => ['D1', Engine::Postgres, [], ['connections' => '85'], [], Status::Pass];
        yield 'D1: not told' => ['D1', Engine::Mysql, [], ['max_used_connections' => 'no number'], [], Status::Unknown];
        yield 'D3: another option, and persistence that is off' => [
            'D3',
            Engine::Mysql,
            [],
            [],
            ['database.connections.mysql.options' => [12 => false, 2 => 5]],
            Status::Pass,
        ];
        yield 'D4: the disk is not waited for' => [
            'D4',
            Engine::Mysql,
            ['innodb_flush_log_at_trx_commit' => '2'],
            [],
            ['session.driver' => 'database'],
            Status::Pass,
        ];
        yield 'L10: MariaDB with the prefix of its replication protocol' => [
            'L10',
            Engine::Mariadb,
            ['version' => '10.6.16-MariaDB'],
            [],
            ['queue.default' => 'database'],
            Status::Pass,
        ];
        yield 'L10: the queue is elsewhere' => ['L10', Engine::Mysql, ['version' => '5.7.44'], [], [], Status::Skipped];
    }

    /**
     * @param array<string, string> $variables
     * @param array<string, string> $status
     * @param array<string, mixed> $config
     */
    #[Test]
    #[DataProvider('quiet')]
    public function it_does_not_fire_beside_it(
        string $id,
        Engine $engine,
        array $variables,
        array $status,
        array $config,
        Status $expected,
    ): void {
        $verdicts = self::examined($id, $engine, $variables, $status, $config)->results;

        self::assertCount(1, $verdicts);
        self::assertSame($expected, $verdicts[0]->finding->status);
    }

    #[Test]
    public function open_transactions_are_named_and_hidden_ones_are_unknown(): void
    {
        $seen = self::of(
            'D5',
            new DatabaseServer(
                Engine::Mariadb,
                '10.11',
                [],
                [],
                [new OpenTransaction('17', 93.2, 'RUNNING'), new OpenTransaction('4', 12.0, 'LOCK WAIT')],
            ),
        )->problems()[0]->finding;
        Examined::shows(['2', '93'], $seen->message);
        self::assertSame(["mysql -e 'kill 17'", "mysql -e 'kill 4'"], $seen->fix?->commands);

        self::assertSame(
            Status::Unknown,
            self::of('D5', new DatabaseServer(Engine::Mysql, '8', [], [], null))->results[0]->finding->status,
        );
    }

    #[Test]
    public function the_driver_mysql_may_speak_to_mariadb(): void
    {
        self::assertSame(
            [Engine::Mariadb, Engine::Mysql, Engine::Postgres, null],
            [
                Engine::of('mysql', '5.5.5-10.6.1-MariaDB-log'),
                Engine::of('mysql', '8.0.36'),
                Engine::of('pgsql', '15.5'),
                Engine::of('sqlite', '3.40'),
            ],
        );
    }

    /**
     * @param array<string, string> $variables
     * @param array<string, string> $status
     * @param array<string, mixed> $config
     */
    private static function examined(
        string $id,
        Engine $engine,
        array $variables,
        array $status,
        array $config,
    ): Report {
        $version = $variables['version'] ?? '99.0';
        $server = $engine === Engine::Postgres
            ? new DatabaseServer(
                $engine,
                $version,
                $variables + self::POSTGRES,
                $status + ['connections' => '10', 'deadlocks' => '0', 'blks_hit' => '0', 'blks_read' => '0'],
            )
            : new DatabaseServer(
                $engine,
                $version,
                $variables + self::MYSQL,
                $status
                    + [
                        'max_used_connections' => '20',
                        'connection_errors_max_connections' => '0',
                        'innodb_deadlocks' => '0',
                        'innodb_buffer_pool_read_requests' => '0',
                        'innodb_buffer_pool_reads' => '0',
                    ],
            );

        return self::of($id, $server, $config);
    }

    /** @param array<string, mixed> $config */
    private static function of(string $id, DatabaseServer $server, array $config = []): Report
    {
        $application = Applications::with($config)->get(Application::class);

        return (new CheckRunner(Checks::only($id)))->run(new Facts([
            Application::class => static fn (): Application => $application,
            DatabaseServer::class => static fn (): DatabaseServer => $server,
        ]));
    }
}
