<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Sink\Database\RefusedByDatabase;
use Headroom\Sink\UnableToDeliver;
use Headroom\Tests\Contract\Support\DatabaseTestCase;
use Headroom\Tests\Contract\Support\DeliversDirectly;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Support\Sentence;
use PDOException;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;

/**
 * Rows that were never in the log: alone, and within the transaction of the caller that buffers.
 */
final class DatabaseSinkDirectTest extends DatabaseTestCase
{
    use DeliversDirectly;

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
}
