<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Tests\Contract\Support\DatabaseTestCase;
use Headroom\Tests\Contract\Support\DeliversDirectly;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Support\Redis\Patience;
use mysqli;
use PDOException;
use PgSql\Connection as PgConnection;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use Throwable;

/**
 * Locks that another session holds while a caller delivers directly in a transaction.
 */
final class DatabaseSinkLockTest extends DatabaseTestCase
{
    use DeliversDirectly;

    #[Test]
    public function a_lock_that_another_has_on_sqlite_reaches_the_caller_as_it_is(): void
    {
        $this->begin(TestDatabase::Sqlite);
        $this->connection()->statement('pragma busy_timeout = 20');
        $this->connection()->beginTransaction();
        $this->database->other()->beginTransaction();
        $this->database->other()->table('events')->insert(['name' => 'other']);

        try {
            $this->direct('a');
            self::fail('It was taken.');
        } catch (PDOException $e) {
            self::assertStringContainsString('database is locked', $e->getMessage());
        }

        $this->database->other()->commit();
        $this->connection()->rollBack();
        self::assertSame([['other'], []], [$this->others(), $this->told]);
    }

    #[Test]
    #[RequiresPhpExtension('mysqli')]
    #[DataProviderExternal(TestDatabase::class, 'mysqlFamily')]
    public function a_deadlock_in_innodb_reaches_the_caller_as_it_is_and_laravel_tries_again(TestDatabase $kind): void
    {
        $this->begin($kind);
        $server = $kind->server();
        $other = new mysqli(
            $server['host'],
            $server['username'],
            $server['password'],
            $this->database->name,
            (int) $server['port'],
        );
        $this->insert('theirs');
        // InnoDB rolls back the transaction that has changed fewer rows.
        $heavy = implode(', ', array_map(static fn (int $number): string => "('heavy {$number}')", range(1, 200)));
        $other->query('start transaction');
        $other->query("insert into events (name) values ('a'), {$heavy}");

        try {
            $this->deadlock(
                static fn () => $other->query("update events set number = 7 where name = 'theirs'", MYSQLI_ASYNC),
                static function () use ($other): void {
                    $other->reap_async_query();
                    $other->query('rollback');
                },
            );
        } finally {
            // Its locks would keep the tables from being dropped.
            $other->close();
        }
    }

    #[Test]
    #[RequiresPhpExtension('pgsql')]
    public function a_deadlock_on_postgresql_reaches_the_caller_as_it_is_and_laravel_tries_again(): void
    {
        $this->begin(TestDatabase::PostgreSql);
        $server = TestDatabase::PostgreSql->server();
        $other = pg_connect(
            "host={$server['host']} port={$server['port']} dbname={$server['database']} user={$server['username']}"
                ." password={$server['password']}",
        );
        self::assertInstanceOf(PgConnection::class, $other);
        $this->insert('theirs');
        // The session that looks first finds the deadlock and is its victim.
        $this->connection()->unprepared("set deadlock_timeout = '20ms'");
        pg_query(
            $other,
            "set deadlock_timeout = '60s'; set search_path = {$this->database->name}; begin; insert into events (name)"
                ." values ('a')",
        );

        try {
            $this->deadlock(
                function () use ($other): void {
                    pg_send_query($other, "update events set number = 7 where name = 'theirs'");
                    Patience::until(
                        fn (): bool => $this->database->other()->scalar(
                            'select wait_event_type from pg_stat_activity where pid = ?',
                            [pg_get_pid($other)],
                        ) === 'Lock',
                        'the other session waits',
                    );
                },
                static function () use ($other): void {
                    pg_get_result($other);
                    pg_query($other, 'rollback');
                },
            );
        } finally {
            pg_close($other);
        }
    }

    /** The other session holds the row a and waits for a row of ours, while we wait for a. */
    private function deadlock(callable $wait, callable $giveWay): void
    {
        $attempts = 0;
        $this->connection()->transaction(function () use ($wait, $giveWay, &$attempts): void {
            if (++$attempts === 2) {
                $giveWay();
            }

            $this->connection()->table('events')->where('name', 'theirs')->update(['number' => 1]);
            $attempts === 1 ? $wait() : null;

            try {
                $this->direct('a');
            } catch (Throwable $e) {
                self::assertInstanceOf(PDOException::class, $e, 'As the driver threw it.');

                throw $e;
            }
        }, 2);

        self::assertSame(2, $attempts, 'Laravel tries a transaction again when it sees a deadlock.');
        self::assertSame(['theirs', 'a'], $this->others());
        self::assertSame([true], $this->told);
        self::assertSame(0, $this->connection()->transactionLevel());
    }
}
