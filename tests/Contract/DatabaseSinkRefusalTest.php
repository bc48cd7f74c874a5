<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Permanent;
use Headroom\Core\Retryable;
use Headroom\Core\SystemClock;
use Headroom\Sink\Database\Dialect\DriverMessage;
use Headroom\Sink\Database\RefusedByDatabase;
use Headroom\Sink\UnableToDeliver;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\AtCheckpoint;
use Headroom\Tests\Contract\Support\DatabaseTestCase;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\TestDatabase;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;

/**
 * Rows that the database sink refuses, and its messages.
 */
final class DatabaseSinkRefusalTest extends DatabaseTestCase
{
    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_callers_open_transaction_is_refused_and_not_touched(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $sink = $this->registered($database->sink('events'));
        $delivery = $this->events('buffered');
        $connection = $database->connection();
        $connection->beginTransaction();
        $connection->table('events')->insert(['name' => "the caller's"]);

        $failure = $this->failureOf($sink, $delivery);
        self::assertInstanceOf(Permanent::class, $failure);
        self::assertEquals(RefusedByDatabase::openTransaction('default'), $failure);
        self::assertSame(1, $connection->transactionLevel());
        self::assertTrue($connection->getPdo()->inTransaction());
        $connection->commit();

        self::assertSame(["the caller's"], $this->names($database));
        $sink->deliver($delivery);
        self::assertSame(["the caller's", 'buffered'], $this->names($database));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_transaction_that_laravel_does_not_know_of_is_refused_and_not_touched(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $sink = $this->registered($database->sink('events'));
        $pdo = $database->connection()->getPdo();
        $pdo->beginTransaction();
        $database->connection()->table('events')->insert(['name' => "the caller's"]);

        self::assertEquals(
            RefusedByDatabase::openTransaction('default'),
            $this->failureOf($sink, $this->events('buffered')),
        );
        self::assertTrue($pdo->inTransaction());
        $pdo->commit();
        self::assertSame(["the caller's"], $this->names($database));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_failure_outside_of_a_delivery_leaves_a_callers_transaction_alone(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $sink = $this->registered($database->sink('events'));
        $database->connection()->table('spool_ledger')->update(['position' => 'torn']);
        $database->connection()->beginTransaction();
        $database->connection()->table('events')->insert(['name' => "the caller's"]);

        $failure = $this->caught(fn () => $sink->progress($this->log->source));
        $database->connection()->commit();

        self::assertInstanceOf(Permanent::class, $failure);
        self::assertStringContainsString($this->log->source->toString(), $failure->getMessage());
        self::assertStringContainsString("'torn'", $failure->getMessage());
        self::assertSame(["the caller's"], $this->names($database));
    }

    #[Test]
    #[DataProvider('enginesWithoutTransactions')]
    public function a_table_without_transactions_is_refused_with_the_statement_that_fixes_it(
        TestDatabase $kind,
        string $engine,
        string $table,
        string $refused,
    ): void {
        $database = $this->database($kind, ['prefix' => 'my_']);
        $delivery = $this->events('a');
        $this->registered($database->sink('events'));
        $database->connection()->statement("alter table my_{$refused} engine={$engine}");

        $failure = $this->failureOf(
            $database->sink($table === 'qualified' ? "{$database->name}.events" : $table),
            $delivery,
        );
        self::assertInstanceOf(Permanent::class, $failure);
        $statement = "ALTER TABLE my_{$refused} ENGINE=InnoDB";
        self::assertEquals(RefusedByDatabase::notTransactional("my_{$refused}", $engine, $statement), $failure);
        self::assertSame([], $this->names($database));

        $database->connection()->statement($statement);
        $database->sink('events')->deliver($delivery);
        self::assertSame(['a'], $this->names($database));
    }

    /** @return iterable<string, array{TestDatabase, string, string, string}> */
    public static function enginesWithoutTransactions(): iterable
    {
        foreach (TestDatabase::mysqlFamily() as $name => [$kind]) {
            yield "{$name}, MyISAM" => [$kind, 'MyISAM', 'events', 'events'];
            yield "{$name}, MEMORY" => [$kind, 'MEMORY', 'events', 'events'];
            yield "{$name}, the ledger" => [$kind, 'MyISAM', 'events', 'spool_ledger'];
            yield "{$name}, a table named with its database" => [$kind, 'MyISAM', 'qualified', 'events'];
        }

        yield 'MariaDB, Aria' => [TestDatabase::MariaDb, 'Aria', 'events', 'events'];
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'mysqlFamily')]
    public function a_table_without_transactions_in_another_database_is_refused_too(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $delivery = $this->events('a');
        $this->registered($database->sink('events'));
        $database->connection()->statement("create database {$database->name}_2");

        try {
            $database->connection()->statement(
                "create table {$database->name}_2.elsewhere (name varchar(20), number integer) engine=MyISAM",
            );
            $failure = $this->failureOf($database->sink("{$database->name}_2.elsewhere"), $delivery);
            self::assertInstanceOf(Permanent::class, $failure);
            self::assertStringContainsString(
                "ALTER TABLE {$database->name}_2.elsewhere ENGINE=InnoDB",
                $failure->getMessage(),
            );
        } finally {
            $database->connection()->statement("drop database {$database->name}_2");
        }
    }

    /**
     * @param non-empty-array<string, string|int> $row
     * @param string $says what the message has to name
     */
    #[Test]
    #[DataProvider('badRows')]
    public function a_row_that_the_database_refuses_is_permanent_and_not_shown(
        TestDatabase $kind,
        string $table,
        array $row,
        string $says,
    ): void {
        $database = $this->database($kind);
        $this->constrain($database);
        $sink = $this->registered($database->sink($table));

        $failure = $this->failureOf($sink, $this->log->delivery([['name' => 'good', 'number' => 1], $row]));

        self::assertInstanceOf(Permanent::class, $failure, $failure->getMessage());
        self::assertStringContainsStringIgnoringCase($says, $failure->getMessage());
        self::assertStringNotContainsString('secret', (string) $failure);
        self::assertStringNotContainsString('471108', (string) $failure);
        self::assertSame(0, $database->connection()->transactionLevel());
        self::assertSame(['secret taken'], $this->names($database));
        self::assertSame(0, $this->delivered($database));
        $this->log = ContractLog::of('again');
        $this->registered($database->sink('events'))->deliver($this->events('good'));
        self::assertSame(['secret taken', 'good'], $this->names($database));
    }

    /** @return iterable<string, array{TestDatabase, string, non-empty-array<string, string|int>, string}> */
    public static function badRows(): iterable
    {
        // As SQLite, MariaDB and MySQL, and PostgreSQL name it.
        $cases = [
            'a missing table' => ['nowhere', ['name' => 'secret'], ['nowhere', 'nowhere', 'nowhere']],
            'a missing column' => [
                'events',
                ['name' => 'secret', 'nocolumn' => 'secret'],
                ['nocolumn', 'nocolumn', 'nocolumn'],
            ],
            'a value that is there already' => [
                'events',
                ['name' => 'secret taken'],
                ['events.name', 'events_name_unique', 'events_name_unique'],
            ],
            'a missing value' => ['events', ['number' => 471108], ['events.name', 'name', '"name"']],
            'a value out of range' => [
                'events',
                ['name' => 'secret', 'number' => 47_110_000_000],
                [null, "'number'", 'out of range'],
            ],
            'a value of another type' => [
                'events',
                ['name' => 'secret', 'number' => "secret' for column 'x' at row 471108"],
                [null, 'number', 'type integer'],
            ],
            'a value that is too long' => [
                'events',
                ['name' => str_repeat('secret', 60)],
                [null, "'name'", 'character varying(240)'],
            ],
            'a constraint of the table' => [
                'events',
                ['name' => 'secret', 'number' => -471108],
                ['number_is_positive', 'number_is_positive', 'number_is_positive'],
            ],
            'a trigger' => ['events', ['name' => 'secret refused'], array_fill(0, 3, DriverMessage::RAISED)],
        ];

        foreach ($cases as $name => [$table, $row, $says]) {
            foreach (TestDatabase::cases() as $kind) {
                $word = $says[match ($kind) {
                    TestDatabase::Sqlite => 0,
                    TestDatabase::MariaDb, TestDatabase::MySql => 1,
                    TestDatabase::PostgreSql => 2,
                }];

                if ($word !== null) {
                    yield "{$kind->name}, {$name}" => [$kind, $table, $row, $word];
                }
            }
        }
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_missing_ledger_is_permanent_and_named(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $delivery = $this->events('a');
        $sink = $this->registered($database->sink('events'));
        $database->connection()->getSchemaBuilder()->drop('spool_ledger');

        foreach ([
            fn () => $sink->deliver($delivery),
            fn () => $sink->progress($this->log->source),
            fn () => $sink->register($this->log->source),
        ] as $call) {
            $failure = $this->caught($call);
            self::assertInstanceOf(Permanent::class, $failure);
            self::assertStringContainsString('spool_ledger', $failure->getMessage());
        }

        $database->createLedger();
        $this->registered($sink)->deliver($delivery);
        self::assertSame(['a'], $this->names($database));
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function a_server_that_does_not_answer_is_retryable(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $database->addConnection('refused', ['port' => 1]);
        $sink = $database->sink('events', connection: 'refused');

        foreach ([fn () => $sink->deliver($this->events('a')), fn () => $sink->progress($this->log->source)] as $call) {
            $failure = $this->caught($call);
            self::assertInstanceOf(Retryable::class, $failure);
            self::assertStringContainsString('Connection refused', $failure->getMessage());
        }
    }

    #[Test]
    public function a_connection_that_is_not_configured_is_permanent(): void
    {
        $database = $this->database(TestDatabase::Sqlite);
        $failure = $this->failureOf($database->sink('events', connection: 'nowhere'), $this->events('a'));

        self::assertInstanceOf(Permanent::class, $failure);
        self::assertStringContainsString('[nowhere]', $failure->getMessage());
    }

    #[Test]
    public function sqlite_waits_for_the_busy_timeout_and_then_the_failure_is_retryable(): void
    {
        $database = $this->database(TestDatabase::Sqlite, ['busy_timeout' => 200]);
        $sink = $this->registered($database->sink('events'));
        $delivery = $this->events('a');
        $database->other()->unprepared('begin immediate');
        $clock = new SystemClock;
        $began = $clock->monotonicNanos();
        $failure = $this->failureOf($sink, $delivery);

        self::assertInstanceOf(Retryable::class, $failure);
        self::assertStringContainsString('locked', $failure->getMessage());
        self::assertGreaterThan(150_000_000, $clock->monotonicNanos() - $began);
        $database->other()->unprepared('rollback');
        $sink->deliver($delivery);
        self::assertSame(['a'], $this->names($database));
    }

    #[Test]
    #[DataProvider('moments')]
    public function an_error_of_ours_between_the_steps_takes_all_back(TestDatabase $kind, string $moment): void
    {
        $database = $this->database($kind);
        $checkpoint = new AtCheckpoint($moment, static fn () => throw new RuntimeException('planted'));
        $sink = $this->registered($database->sink('events', $checkpoint));
        $delivery = $this->events('a', 'b');

        self::assertStringContainsString('planted', $this->failureOf($sink, $delivery)->getMessage());
        self::assertTrue($checkpoint->wasReached);
        self::assertSame(0, $this->delivered($database));
        self::assertSame([], $this->names($database));
        $sink->deliver($delivery);
        self::assertSame(['a', 'b'], $this->names($database));
    }

    /** @return iterable<string, array{TestDatabase, string}> */
    public static function moments(): iterable
    {
        foreach (TestDatabase::cases() as $kind) {
            yield "{$kind->name}, ledger.advanced" => [$kind, 'ledger.advanced'];
            yield "{$kind->name}, rows.inserted" => [$kind, 'rows.inserted'];
        }
    }

    /** A check constraint, a trigger that refuses, and a name that is taken. */
    private function constrain(FreshDatabase $database): void
    {
        $statements = match ($database->kind) {
            TestDatabase::Sqlite => [
                'drop table events',
                'create table events ("row" integer primary key, name varchar not null unique, number integer'
                    .' constraint number_is_positive check (number >= 0))',
                "create trigger refusing before insert on events when new.name like '%refused' begin select"
                    ." raise(abort, 'not today'); end",
            ],
            TestDatabase::MariaDb, TestDatabase::MySql => [
                'alter table events add constraint number_is_positive check (number >= 0)',
                "create trigger refusing before insert on events for each row if new.name like '%refused' then signal"
                    ." sqlstate '45000' set message_text = 'no secret here'; end if",
            ],
            TestDatabase::PostgreSql => [
                'alter table events add constraint number_is_positive check (number >= 0)',
                "create function refuse() returns trigger language plpgsql as \$\$ begin if new.name like '%refused'"
                    ." then raise exception 'no %', new.name; end if; return new; end \$\$",
                'create trigger refusing before insert on events for each row execute function refuse()',
            ],
        };

        foreach ($statements as $statement) {
            $database->connection()->unprepared($statement);
        }

        $database->connection()->table('events')->insert(['name' => 'secret taken']);
    }

    private function caught(callable $call): UnableToDeliver
    {
        try {
            $call();
        } catch (UnableToDeliver $failure) {
            return $failure;
        }

        self::fail('The call succeeded.');
    }
}
