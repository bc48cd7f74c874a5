<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Finding;
use Headroom\Sink\Database\DatabaseSink;
use Headroom\Tests\Contract\Support\DatabaseTestCase;
use Headroom\Tests\Contract\Support\TestDatabase;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;

/**
 * The findings of the sink that spool:health reports: each problem with its fix.
 */
final class DatabaseSinkCheckTest extends DatabaseTestCase
{
    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function an_examination_finds_nothing_wrong_and_changes_nothing(TestDatabase $kind): void
    {
        $database = $this->database($kind);

        self::assertSame([], $database->sink('events')->inspect());
        self::assertSame(0, $database->connection()->table('spool_ledger')->count());
        self::assertSame(0, $database->connection()->transactionLevel());
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_missing_table_is_told_with_the_migration_to_make(TestDatabase $kind): void
    {
        $problem = $this->onlyProblem($this->database($kind)->sink('nowhere'));

        self::assertSame('connection default', $problem->subject);
        self::assertMatchesRegularExpression('/\bnowhere\b/', $problem->message);
        self::assertMatchesRegularExpression('/\A(?=.*\bnowhere\b)(?=.*`migrate`)/', $problem->fix);
        self::assertTrue($problem->fatal);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function a_table_missing_from_its_schema_is_reported_although_another_schema_has_it(TestDatabase $kind): void
    {
        $database = $this->database($kind);

        self::assertSame([], $database->sink("{$database->name}.events")->inspect());
        self::assertStringContainsString(
            'elsewhere.events',
            $this->onlyProblem($database->sink('elsewhere.events'))->message,
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_missing_ledger_is_told_with_the_commands_that_make_it(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $database->connection()->getSchemaBuilder()->drop('spool_ledger');
        $problem = $this->onlyProblem($database->sink('events'));

        self::assertStringContainsString('spool_ledger', $problem->message);
        self::assertStringContainsString('`spool:install`', $problem->fix);
        self::assertStringContainsString('`migrate`', $problem->fix);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'mysqlFamily')]
    public function tables_without_transactions_are_reported_with_the_statements_that_fix_them(TestDatabase $kind): void
    {
        $database = $this->database($kind, ['prefix' => 'my_']);
        $database->connection()->statement('alter table my_events engine=MyISAM');
        $database->connection()->statement('alter table my_spool_ledger engine=MEMORY');
        $problems = $database->sink('events')->inspect();

        self::assertCount(2, $problems);

        $told = implode("\n", array_column($problems, 'message'));
        self::assertMatchesRegularExpression('/^(?=.*\bmy_events\b)(?=.*\bMyISAM\b)/m', $told);
        self::assertMatchesRegularExpression('/^(?=.*\bmy_spool_ledger\b)(?=.*\bMEMORY\b)/m', $told);

        foreach ($problems as $problem) {
            self::assertSame(1, preg_match('/`(ALTER TABLE .*)`/', $problem->fix, $statement));
            $database->connection()->statement($statement[1]);
        }

        self::assertSame([], $database->sink('events')->inspect());
    }

    #[Test]
    public function unlogged_tables_of_postgresql_are_reported_with_the_statements_that_fix_them(): void
    {
        $database = $this->database(TestDatabase::PostgreSql, ['prefix' => 'my_']);
        $database->connection()->statement('alter table my_events set unlogged');
        $database->connection()->statement('alter table my_spool_ledger set unlogged');
        $problems = $database->sink('events')->inspect();

        self::assertCount(2, $problems);

        foreach ($problems as $problem) {
            self::assertTrue($problem->fatal);
            self::assertSame(1, preg_match('/`(ALTER TABLE .*)`/', $problem->fix, $statement));
            $database->connection()->statement($statement[1]);
        }

        self::assertSame([], $database->sink('events')->inspect());
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function a_server_that_does_not_answer_is_told_with_its_connections_name(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $database->addConnection('refused', ['port' => 1]);
        $problem = $this->onlyProblem($database->sink('events', connection: 'refused'));

        self::assertSame('connection refused', $problem->subject);
        self::assertStringContainsString('Connection refused', $problem->message);
        self::assertMatchesRegularExpression("~\\A(?=.*'refused')(?=.*\\bconfig/database\\.php)~", $problem->fix);
    }

    #[Test]
    public function a_connection_that_is_not_configured_is_told(): void
    {
        $problem = $this->onlyProblem($this->database(TestDatabase::Sqlite)->sink('events', connection: 'nowhere'));

        self::assertSame('connection nowhere', $problem->subject);
        self::assertStringContainsString('[nowhere]', $problem->message);
    }

    #[Test]
    public function a_driver_that_is_not_supported_is_told_with_those_that_are(): void
    {
        $database = $this->database(TestDatabase::Sqlite);
        $database->addConnection('foreign', ['driver' => 'sqlsrv']);
        $problem = $this->onlyProblem($database->sink('events', connection: 'foreign'));

        self::assertStringContainsString('sqlite, mysql, mariadb, pgsql', $problem->message);
        self::assertStringContainsString("'connection'", $problem->fix);
    }

    private function onlyProblem(DatabaseSink $sink): Finding
    {
        $problems = $sink->inspect();
        self::assertCount(1, $problems);

        return $problems[0];
    }
}
