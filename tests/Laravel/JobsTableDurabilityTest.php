<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Composer\InstalledVersions;
use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\Drivers\ServerFacts;
use Headroom\Bench\Queues\Durability;
use Headroom\Tests\Laravel\Support\QueueBench;
use Headroom\Tests\Support\Sentence;
use Illuminate\Database\Connection;
use Illuminate\Database\DatabaseManager;
use Illuminate\Database\MySqlConnection;
use PDO;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Messages of headroom:bench:queues about a jobs table that is less durable than its server, or that it cannot examine.
 */
final class JobsTableDurabilityTest extends TestCase
{
    private const TABLE = 'headroom_kept_jobs';

    private const COLUMNS = 'id bigint primary key, queue varchar(255), payload varchar(2000), attempts smallint,'
        .' reserved_at int, available_at int, created_at int';

    private ?QueueBench $bench = null;

    private ?WorkbenchDatabase $database = null;

    protected function tearDown(): void
    {
        if ($this->database !== null) {
            $this->connect($this->database)->forget($this->connection());
            $this->bench?->shut();
        }

        $this->bench = $this->database = null;
    }

    /** @return iterable<string, array{WorkbenchDatabase, string, Durability}> */
    public static function tables(): iterable
    {
        $table = self::TABLE;
        $columns = self::COLUMNS;
        yield 'pgsql, unlogged' => [
            WorkbenchDatabase::PostgreSql,
            "create unlogged table {$table} ({$columns})",
            Durability::None,
        ];
        yield 'pgsql' => [WorkbenchDatabase::PostgreSql, "create table {$table} ({$columns})", Durability::EachJob];
        $engines = ['InnoDB' => Durability::EachJob, 'MyISAM' => Durability::Seconds, 'MEMORY' => Durability::None];

        foreach ([WorkbenchDatabase::MariaDb, WorkbenchDatabase::MySql] as $database) {
            foreach ($engines as $engine => $durability) {
                $statement = "create table {$table} ({$columns}) engine = {$engine}";
                yield "{$database->value}, {$engine}" => [$database, $statement, $durability];
            }
        }
    }

    #[Test]
    #[DataProvider('tables')]
    public function a_table_promises_no_more_than_it_keeps(
        WorkbenchDatabase $database,
        string $statement,
        Durability $kept,
    ): void {
        $this->connect($database);
        $server = $this->facts()->durability;
        $this->make($statement);
        $facts = $this->connect($database)->facts();

        self::assertSame($kept === Durability::EachJob ? $server : $kept, $facts->durability);
    }

    /** @return iterable<string, array{string, string, string, string, Durability}> */
    public static function logs(): iterable
    {
        yield 'no binary log' => ['1', '0', '0', 'InnoDB', Durability::EachJob];
        yield 'a binary log that each commit waits for' => ['1', '1', '1', 'InnoDB', Durability::EachJob];
        yield 'a binary log that reaches the disk later' => ['1', '1', '0', 'InnoDB', Durability::Seconds];
        yield 'a binary log that reaches the disk at times' => ['1', '1', '100', 'InnoDB', Durability::Seconds];
        yield 'a log that reaches the disk later' => ['2', '0', '0', 'InnoDB', Durability::Seconds];
        yield 'an engine that is not known' => ['1', '0', '0', 'ROCKSDB', Durability::Unknown];
    }

    #[Test]
    #[DataProvider('logs')]
    public function a_commit_is_as_safe_as_the_binary_log(
        string $flush,
        string $hasLog,
        string $sync,
        string $engine,
        Durability $kept,
    ): void {
        $answers = [
            'innodb_flush_log_at_trx_commit' => $flush, 'log_bin' => $hasLog, 'sync_binlog' => $sync,
            'engine' => $engine, 'version()' => '8.4.2',
        ];
        $connection = new class($answers) extends MySqlConnection
        {
            /** @param array<string, string> $answers by a word of the query */
            public function __construct(private readonly array $answers)
            {
                parent::__construct(new PDO('sqlite::memory:'), config: ['driver' => 'mysql']);
            }

            /** @param array<mixed> $bindings */
            public function selectOne($query, $bindings = [], $useReadPdo = true): object
            {
                foreach ($this->answers as $word => $answer) {
                    if (str_contains($query, $word)) {
                        return (object) ['value' => $answer];
                    }
                }

                return (object) ['value' => ''];
            }
        };

        self::assertSame($kept, ServerFacts::ofDatabase($connection, 'jobs')->durability);
    }

    #[Test]
    #[TestWith([WorkbenchDatabase::MariaDb])]
    #[TestWith([WorkbenchDatabase::MySql])]
    #[TestWith([WorkbenchDatabase::PostgreSql])]
    public function a_table_that_is_not_there_is_told(WorkbenchDatabase $database): void
    {
        $notes = $this->connect($database)->facts()->notes;

        self::assertCount(1, $notes, implode("\n", $notes));
        Sentence::assertNames([self::TABLE], $notes[0]);
    }

    #[Test]
    public function a_table_that_inherits_from_another_is_told(): void
    {
        $this->connect(WorkbenchDatabase::PostgreSql);
        $table = self::TABLE;
        $this->make("create table {$table}_parent (id bigint)");
        $this->make("create table {$table} (".self::COLUMNS.") inherits ({$table}_parent)");

        self::assertStringContainsString("parent {$table}_parent", implode("\n", $this->facts()->notes));
    }

    #[Test]
    #[TestWith([WorkbenchDatabase::MariaDb])]
    #[TestWith([WorkbenchDatabase::MySql])]
    public function a_trigger_in_another_schema_is_told(WorkbenchDatabase $database): void
    {
        if (version_compare((string) InstalledVersions::getVersion('laravel/framework'), '12', '<')) {
            self::markTestSkipped('Laravel 11 does not find a table of another schema.');
        }

        $this->connect($database, table: 'headroom_other.'.self::TABLE);
        $this->make('create database headroom_other');
        $table = 'headroom_other.'.self::TABLE;
        $this->make("create table {$table} (".self::COLUMNS.')');
        $trigger = 'create trigger headroom_other.headroom_audit before insert on';
        $this->make("{$trigger} {$table} for each row set new.attempts = 0");

        self::assertStringContainsString('trigger headroom_audit', implode("\n", $this->facts()->notes));
    }

    #[Test]
    #[TestWith([WorkbenchDatabase::MariaDb, false])]
    #[TestWith([WorkbenchDatabase::MySql, false])]
    #[TestWith([WorkbenchDatabase::MariaDb, true])]
    #[TestWith([WorkbenchDatabase::MySql, true])]
    public function an_account_that_sees_no_triggers_knows_of_none(WorkbenchDatabase $database, bool $maySee): void
    {
        $this->connect($database);
        $this->make('create table '.self::TABLE.' ('.self::COLUMNS.')');
        $schema = $this->connection()->getDatabaseName();
        $privileges = 'select, insert, update, delete, create, drop, index, alter'.($maySee ? ', trigger' : '');
        $this->make("create user headroom_blind identified by 'Blind-1-secret'");
        $this->make("grant {$privileges} on `{$schema}`.* to headroom_blind");
        $this->connect($database, ['username' => 'headroom_blind', 'password' => 'Blind-1-secret']);

        $notes = implode("\n", $this->facts()->notes);

        self::assertSame(! $maySee, str_contains($notes, 'TRIGGER'), $notes);
    }

    /** @param array<string, string> $with of the connection to the server */
    private function connect(WorkbenchDatabase $database, array $with = [], string $table = self::TABLE): self
    {
        $this->bench?->remove();
        $this->bench?->shut();
        $this->database = $database;
        $config = ['queue.connections.database.table' => $table];

        foreach ($with as $key => $value) {
            $config["database.connections.{$database->value}.{$key}"] = $value;
        }

        $this->bench = new QueueBench($database->environment(), $config);

        return $this;
    }

    private function facts(): DriverFacts
    {
        return $this->bench?->rows('database')[0]->variant->facts ?? self::fail();
    }

    private function make(string $statement): void
    {
        $this->connection()->getPdo()->exec($statement);
    }

    private function connection(): Connection
    {
        return $this->bench?->make(DatabaseManager::class)->connection() ?? self::fail();
    }

    private function forget(Connection $connection): void
    {
        $table = self::TABLE;
        $statements = ["drop table if exists {$table}", "drop table if exists {$table}_parent"];

        if ($connection instanceof MySqlConnection) {
            array_push($statements, 'drop database if exists headroom_other', 'drop user if exists headroom_blind');
        }

        foreach ($statements as $statement) {
            $connection->getPdo()->exec($statement);
        }
    }
}
