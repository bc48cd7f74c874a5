<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Closure;
use Headroom\Core\Retryable;
use Headroom\Sink\CursorMoved;
use Headroom\Sink\Database\DatabaseSink;
use Headroom\Sink\Delivery;
use Headroom\Sink\Progress;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\AtCheckpoint;
use Headroom\Tests\Contract\Support\AtEach;
use Headroom\Tests\Contract\Support\DatabaseTestCase;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\ReplyLosingProxy;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Support\Redis\Patience;
use Illuminate\Database\Events\TransactionRolledBack;
use Illuminate\Events\Dispatcher;
use mysqli;
use PgSql\Connection as PgConnection;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use RuntimeException;
use WeakReference;

/**
 * Connections that break and transactions that meet: afterwards every row is there once.
 */
final class DatabaseSinkConnectionTest extends DatabaseTestCase
{
    private ?ReplyLosingProxy $proxy = null;

    protected function tearDown(): void
    {
        parent::tearDown();
        $this->proxy?->stop();
        $this->proxy = null;
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function a_session_that_the_server_ended_between_two_deliveries_is_opened_again(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $sink = $this->registered($database->sink('events'));
        $sink->deliver($this->events('a'));
        $first = $database->sessionId();
        $database->endSession($first);
        $sink->deliver($this->events('b'));
        $second = $database->sessionId();
        $database->endSession($second);

        self::assertSame(2, $sink->progress($this->log->source)?->delivered);
        $sink->deliver($this->events('c'));
        self::assertSame(['a', 'b', 'c'], $this->names($database));
        self::assertCount(3, array_unique([$first, $second, $database->sessionId()]));
    }

    #[Test]
    #[DataProvider('moments')]
    public function a_session_lost_within_a_delivery_leaves_nothing_and_the_sink_goes_on(
        TestDatabase $kind,
        string $moment,
    ): void {
        $database = $this->database($kind);
        $checkpoint = new AtCheckpoint($moment, static fn () => $database->endSession($database->sessionId()));
        $sink = $this->registered($database->sink('events', $checkpoint));
        $delivery = $this->events('a', 'b');

        self::assertInstanceOf(Retryable::class, $this->failureOf($sink, $delivery));
        self::assertSame(0, $sink->progress($this->log->source)?->delivered);
        self::assertSame([], $this->names($database));
        $sink->deliver($delivery);
        self::assertSame(['a', 'b'], $this->names($database));
    }

    /** @return iterable<string, array{TestDatabase, string}> */
    public static function moments(): iterable
    {
        foreach (TestDatabase::servers() as $name => [$kind]) {
            yield "{$name}, ledger.advanced" => [$kind, 'ledger.advanced'];
            yield "{$name}, rows.inserted" => [$kind, 'rows.inserted'];
        }
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function a_connection_that_cannot_be_rolled_back_is_closed_and_opened_again(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $sink = $this->registered($database->sink('events'));
        $sink->deliver($this->events('a'));
        $events = new Dispatcher;
        $events->listen(TransactionRolledBack::class, static fn () => throw new RuntimeException('planted'));
        $database->connection()->setEventDispatcher($events);
        $pdo = WeakReference::create($database->connection()->getPdo());
        $this->failureOf($sink, $this->log->delivery([['name' => 'b', 'number' => 1], ['name' => 'a', 'number' => 1]]));

        self::assertNull($pdo->get(), 'Something still holds on to the old connection.');
        $this->log = ContractLog::of('again');
        $this->registered($sink)->deliver($this->events('c'));
        self::assertSame(['a', 'c'], $this->names($database));
    }

    #[Test]
    #[TestDox('commit reply lost')]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function after_a_lost_reply_to_commit_the_same_range_is_refused(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $server = $kind->server();
        $this->proxy = $proxy = ReplyLosingProxy::to($server['host'], $server['port']);
        $database->addConnection('fragile', ['port' => $proxy->port]);
        $sink = $this->registered($database->sink(
            'events',
            new AtCheckpoint('rows.inserted', $proxy->loseNextReply(...)),
            'fragile',
        ));
        $delivery = $this->events('a', 'b');

        self::assertInstanceOf(Retryable::class, $this->failureOf($sink, $delivery));
        $proxy->losesNoMore();

        self::assertTrue($this->isRefused($sink, $delivery), 'The commit had been done.');
        self::assertEquals($this->log->end(), $sink->progress($this->log->source)?->position);
        $sink->deliver($this->events('c'));
        self::assertSame(['a', 'b', 'c'], $this->names($database));
    }

    #[Test]
    #[TestDox('commit reply lost')]
    #[DataProviderExternal(TestDatabase::class, 'all')]
    public function a_process_that_never_learns_of_its_commit_does_not_repeat_it(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $sink = $this->registered($database->sink(
            'events',
            new AtCheckpoint('delivery.committed', static fn () => throw new RuntimeException('planted')),
        ));
        $delivery = $this->events('a', 'b');

        self::assertInstanceOf(Retryable::class, $this->failureOf($sink, $delivery));
        self::assertTrue($this->isRefused($database->sink('events'), $delivery));
        self::assertSame(['a', 'b'], $this->names($database));
        self::assertSame(2, $this->delivered($database));
    }

    #[Test]
    #[TestDox('deadlock')]
    #[RequiresPhpExtension('mysqli')]
    #[DataProviderExternal(TestDatabase::class, 'mysqlFamily')]
    public function the_victim_of_a_deadlock_in_innodb_tries_again_by_itself(TestDatabase $kind): void
    {
        $database = $this->database($kind);
        $server = $kind->server();
        $other = new mysqli(
            $server['host'],
            $server['username'],
            $server['password'],
            $database->name,
            (int) $server['port'],
        );
        // InnoDB rolls back the transaction that has changed fewer rows.
        $heavy = implode(', ', array_map(static fn (int $number): string => "('heavy {$number}')", range(1, 200)));
        $other->query('start transaction');
        $other->query("insert into events (name) values ('a'), {$heavy}");

        $this->deadlock(
            $database,
            static fn () => $other->query('update spool_ledger set dead = 7', MYSQLI_ASYNC),
            static function () use ($other): void {
                $other->reap_async_query();
                $other->query('rollback');
            },
        );
        $other->close();
    }

    #[Test]
    #[TestDox('deadlock')]
    #[RequiresPhpExtension('pgsql')]
    public function the_victim_of_a_deadlock_on_postgresql_tries_again_by_itself(): void
    {
        $database = $this->database(TestDatabase::PostgreSql);
        $server = TestDatabase::PostgreSql->server();
        $other = pg_connect(
            "host={$server['host']} port={$server['port']} dbname={$server['database']} user={$server['username']}"
                ." password={$server['password']}",
        );
        self::assertInstanceOf(PgConnection::class, $other);
        // The session that looks first finds the deadlock and is its victim.
        $database->connection()->unprepared("set deadlock_timeout = '20ms'");
        pg_query(
            $other,
            "set deadlock_timeout = '60s'; set search_path = {$database->name}; begin; insert into events (name)"
                ." values ('a')",
        );

        try {
            $this->deadlock($database, static function () use ($other, $database): void {
                pg_send_query($other, 'update spool_ledger set dead = 7');
                Patience::until(
                    static fn (): bool => $database->other()->scalar(
                        'select wait_event_type from pg_stat_activity where pid = ?',
                        [pg_get_pid($other)],
                    ) === 'Lock',
                    'the other session waits',
                );
            }, static function () use ($other): void {
                pg_get_result($other);
                pg_query($other, 'rollback');
            });
        } finally {
            // Its locks would keep the tables from being dropped.
            pg_close($other);
        }
    }

    /** The other session holds the row a and waits for the ledger's row, which the sink holds while it waits for a. */
    private function deadlock(FreshDatabase $database, Closure $wait, Closure $end): void
    {
        $sink = $this->registered($database->sink(
            'events',
            new AtEach(['ledger.advanced#1' => $wait, 'delivery.begun#2' => $end]),
        ));
        $sink->deliver($this->events('a'));

        self::assertSame(['a'], $this->names($database));
        self::assertEquals(new Progress($this->log->end(), 1), $sink->progress($this->log->source));
        self::assertSame(0, $database->connection()->transactionLevel());
    }

    #[Test]
    public function a_conflict_that_comes_each_time_is_retryable_in_the_end(): void
    {
        $database = $this->database(TestDatabase::PostgreSql);
        $database->connection()->unprepared(
            "create function conflict() returns trigger language plpgsql as $$ begin raise exception 'conflict' using"
                ." errcode = '40001'; end $$",
        );
        $database->connection()
            ->unprepared('create trigger conflict before insert on events for each row execute function conflict()');
        $tries = 0;
        $count = static function () use (&$tries): void {
            $tries++;
        };
        $sink = $this->registered($database->sink(
            'events',
            new AtEach(array_fill_keys(
                array_map(static fn (int $n): string => "delivery.begun#{$n}", range(1, 9)),
                $count,
            )),
        ));

        self::assertInstanceOf(Retryable::class, $this->failureOf($sink, $this->events('a')));
        self::assertSame(4, $tries);
        self::assertSame(0, $this->delivered($database));
    }

    private function isRefused(DatabaseSink $sink, Delivery $delivery): bool
    {
        try {
            $sink->deliver($delivery);
        } catch (CursorMoved) {
            return true;
        }

        return false;
    }
}
