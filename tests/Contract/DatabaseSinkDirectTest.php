<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\Database\DatabaseSink;
use Headroom\Sink\Database\RefusedByDatabase;
use Headroom\Sink\Delivery;
use Headroom\Sink\UnableToDeliver;
use Headroom\Tests\Contract\Support\DatabaseTestCase;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Sentence;
use Illuminate\Database\Connection;
use Illuminate\Events\Dispatcher;
use mysqli;
use PDOException;
use PgSql\Connection as PgConnection;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;
use Throwable;

/**
 * Rows that were never in the log: alone, and within the transaction of the caller that buffers.
 */
final class DatabaseSinkDirectTest extends DatabaseTestCase
{
    private FreshDatabase $database;

    private DatabaseSink $sink;

    /** @var list<bool> what was told of each delivery, in the order in which it was told */
    private array $told = [];

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function without_a_transaction_direct_rows_commit_at_once_and_the_ledger_stays(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->registered($this->sink);
        $this->direct('a', 'b');

        self::assertSame(['a', 'b'], $this->others());
        self::assertSame([true], $this->told);
        self::assertSame(0, $this->delivered($this->database));
        self::assertSame(0, $this->connection()->transactionLevel());
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function without_a_transaction_a_refused_row_leaves_none(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->direct('a');
        $failure = $this->refused(fn () => $this->direct('b', 'a'));

        $reason = Sentence::in(RefusedByDatabase::directly('events', new RuntimeException(Sentence::ANY)), $failure);
        self::assertMatchesRegularExpression('/\(SQLSTATE 23\d{3}\)\z/', $reason, 'Nothing is said of a buffer.');
        self::assertSame(['a'], $this->others());
        self::assertSame([true], $this->told);
        self::assertSame(0, $this->connection()->transactionLevel());
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function they_commit_with_the_callers_transaction_and_are_settled_then(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->connection()->transaction(function (): void {
            $this->insert('theirs');
            $this->direct('a');
            self::assertSame([], $this->told);
        });

        self::assertSame(['theirs', 'a'], $this->others());
        self::assertSame([true], $this->told);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function they_are_undone_with_the_callers_transaction(TestDatabase $kind): void
    {
        $this->begin($kind);

        try {
            $this->connection()->transaction(function (): void {
                $this->direct('a');
                $this->direct('b');

                throw new RuntimeException('planted');
            });
        } catch (RuntimeException) {
        }

        $this->direct('c');
        self::assertSame(['c'], $this->others());
        self::assertSame([false, false, true], $this->told);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function they_are_undone_with_the_callers_savepoint_although_the_transaction_commits(
        TestDatabase $kind,
    ): void {
        $this->begin($kind);
        $this->connection()->beginTransaction();
        $this->insert('outer');
        $this->connection()->beginTransaction();
        $this->direct('a');
        $this->connection()->rollBack();
        self::assertSame([false], $this->told);
        $this->direct('b');
        $this->connection()->commit();

        self::assertSame(['outer', 'b'], $this->others());
        self::assertSame([false, true], $this->told);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_savepoint_that_is_kept_leaves_it_to_the_transaction_around_it(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->connection()->beginTransaction();
        $this->connection()->beginTransaction();
        $this->direct('a');
        $this->connection()->commit();
        self::assertSame([], $this->told);

        // Begun later, so the rows do not belong to this transaction.
        $this->connection()->beginTransaction();
        $this->connection()->rollBack();
        self::assertSame([], $this->told);
        $this->connection()->rollBack();

        self::assertSame([], $this->others());
        self::assertSame([false], $this->told);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_refused_row_leaves_the_callers_transaction_as_it_was(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->connection()->transaction(function (): void {
            $this->insert('theirs');
            $this->refused(fn () => $this->direct('a', 'theirs'));
            $this->insert('more');
        });

        self::assertSame(['theirs', 'more'], $this->others());
        self::assertSame([], $this->told);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_transaction_that_laravel_did_not_begin_is_not_joined(TestDatabase $kind): void
    {
        $this->begin($kind);
        $pdo = $this->connection()->getPdo();
        $pdo->beginTransaction();
        $failure = $this->refused(fn () => $this->direct('a'));
        $pdo->rollBack();

        self::assertEquals(RefusedByDatabase::unknownTransaction('default', 0), $failure);
        self::assertSame([], $this->others());
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function without_an_event_dispatcher_the_callers_transaction_is_not_joined(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->connection()->unsetEventDispatcher();
        $this->connection()->beginTransaction();
        $failure = $this->refused(fn () => $this->direct('a'));
        $this->connection()->commit();

        self::assertEquals(RefusedByDatabase::unobservableTransaction('default'), $failure);
        self::assertSame([], $this->others());
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function rows_undone_by_a_lost_session_are_reported_with_the_next_call(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->connection()->beginTransaction();
        $this->direct('a');
        $this->database->endSession($this->database->sessionId());

        try {
            $this->connection()->commit();
            self::fail('There was nothing to commit to.');
        } catch (PDOException) {
        }

        $this->connection()->reconnect();
        $this->direct('b');
        self::assertSame(['b'], $this->others());
        self::assertSame([false, true], $this->told);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function a_session_that_has_ended_before_is_the_callers_to_deal_with(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->connection()->beginTransaction();
        $this->insert('theirs');
        $this->database->endSession($this->database->sessionId());

        try {
            $this->direct('a');
            self::fail('It was taken.');
        } catch (PDOException $e) {
            self::assertNotInstanceOf(UnableToDeliver::class, $e);
        }

        $this->connection()->reconnect();
        self::assertSame([[], []], [$this->others(), $this->told]);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'mysqlFamily')]
    public function a_table_without_transactions_is_refused(TestDatabase $kind): void
    {
        $this->begin($kind);
        $this->connection()->statement('alter table events engine = MyISAM');
        $failure = $this->refused(fn () => $this->direct('a'));

        self::assertStringContainsString('MyISAM', $failure->getMessage());
        $this->connection()->beginTransaction();
        $this->refused(fn () => $this->direct('a'));
        $this->connection()->commit();
        self::assertSame([[], []], [$this->others(), $this->told]);
    }

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

    private function begin(TestDatabase $kind): void
    {
        $this->database = $this->database($kind);
        $this->connection()->setEventDispatcher(new Dispatcher);
        $this->sink = $this->database->sink('events');
    }

    private function connection(): Connection
    {
        return $this->database->connection();
    }

    private function insert(string $name): void
    {
        $this->connection()->table('events')->insert(['name' => $name, 'number' => 0]);
    }

    private function direct(string $name, string ...$names): void
    {
        $records = array_map(
            static fn (string $name): Record => new Record(new Position(0, 0, 0), 1, ['name' => $name, 'number' => 1]),
            [$name, ...array_values($names)],
        );
        $this->sink->deliverDirectly(Delivery::direct('events', $records), function (bool $kept): void {
            $this->told[] = $kept;
        });
    }

    /** @param callable(): void $work */
    private function refused(callable $work): UnableToDeliver
    {
        try {
            $work();
        } catch (UnableToDeliver $failure) {
            return $failure;
        }

        self::fail('It was taken.');
    }

    /** @return list<mixed> the names that another session sees, by arrival */
    private function others(): array
    {
        return array_values($this->database->other()->table('events')->orderBy('row')->pluck('name')->all());
    }
}
