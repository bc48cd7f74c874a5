<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Closure;
use Headroom\Sink\Database\Dialect\DatabaseError;
use Headroom\Sink\Database\Dialect\DateColumns;
use Headroom\Sink\Database\Upsert\ConflictResolution;
use Headroom\Sink\Delivery;
use Headroom\Sink\UnableToDeliver;
use Illuminate\Database\Connection;
use PDOException;
use Throwable;

/**
 * Inserts rows that were never in a log, in a transaction of its own or in the caller's. Does not touch the ledger.
 *
 * @internal
 */
final readonly class DirectInsert
{
    private const SAVEPOINT = 'headroom_direct';

    private Connection $connection;

    /** @param ?TableCheck $check null if the table has been checked already */
    public function __construct(
        private DateColumns $dates,
        private string $table,
        private ?ConflictResolution $conflict,
        private ?TableCheck $check,
    ) {
        $this->connection = $dates->connection;
    }

    /**
     * @param Closure(bool): void $settled gets true once the rows are stored for good, false if they were rolled back
     *
     * @throws UnableToDeliver
     * @throws Throwable the database has ended the caller's transaction
     */
    public function insert(Delivery $delivery, Closure $settled): void
    {
        $level = $this->connection->transactionLevel();

        try {
            $this->connection->reconnectIfMissingConnection();
            $isOpen = $this->connection->getPdo()->inTransaction();
        } catch (Throwable $e) {
            throw $this->failure($e);
        }

        // PDO does not see a transaction that Laravel begins on SQLite with a SQL statement.
        if ($level > 0 && ($isOpen || $this->connection->getDriverName() === 'sqlite')) {
            $this->insertInCallerTransaction($delivery, $settled);
        } elseif ($level === 0 && ! $isOpen) {
            $this->insertInOwnTransaction($delivery);
            $settled(true);
        } else {
            throw RefusedByDatabase::unknownTransaction($this->connection->getName() ?? 'default', $level);
        }
    }

    private function insertInOwnTransaction(Delivery $delivery): void
    {
        try {
            $this->check?->assertSuitable($this->connection);
            $this->connection->beginTransaction();
            (new RowInserter($this->dates, $this->table, $this->conflict))->insert($delivery->batch);
        } catch (Throwable $e) {
            $this->abandon();

            throw $this->failure($e);
        }

        try {
            $this->connection->commit();
        } catch (Throwable $e) {
            $this->abandon();

            throw UnableToInsert::commitUnknown($this->table, $e);
        }
    }

    /**
     * The savepoint is not Laravel's: a deadlock removes all savepoints, and Laravel would lose count of its levels.
     *
     * @param Closure(bool): void $settled
     */
    private function insertInCallerTransaction(Delivery $delivery, Closure $settled): void
    {
        $transaction = CallerTransaction::on($this->connection)
            ?? throw RefusedByDatabase::unobservableTransaction($this->connection->getName() ?? 'default');
        $this->run('SAVEPOINT');

        try {
            $this->check?->assertSuitable($this->connection);
            (new RowInserter($this->dates, $this->table, $this->conflict))->insert($delivery->batch);
            $this->run('RELEASE SAVEPOINT');
        } catch (Throwable $e) {
            if (DatabaseError::endsTransaction($e) || ! $this->rollBackToSavepoint()) {
                throw $e;
            }

            throw $this->failure($e);
        }

        $transaction->onOutcome($settled);
    }

    /** Returns false if the savepoint no longer exists. */
    private function rollBackToSavepoint(): bool
    {
        try {
            $this->run('ROLLBACK TO SAVEPOINT');
            $this->run('RELEASE SAVEPOINT');

            return true;
        } catch (Throwable) {
            return false;
        }
    }

    private function run(string $statement): void
    {
        // A connection may be configured not to throw.
        if ($this->connection->getPdo()->exec("{$statement} ".self::SAVEPOINT) === false) {
            throw new PDOException(
                "{$statement} failed, and the connection is configured not to throw (PDO::ATTR_ERRMODE)",
            );
        }
    }

    private function failure(Throwable $e): UnableToDeliver
    {
        return match (true) {
            $e instanceof UnableToDeliver => $e,
            ! DatabaseError::isTransient($e)
                && Session::isAlive($this->connection) => RefusedByDatabase::directly($this->table, $e),
            default => UnableToInsert::directly($this->table, $e),
        };
    }

    private function abandon(): void
    {
        try {
            $this->connection->rollBack(0);
        } catch (Throwable) {
            // The server rolls back an open transaction when its connection ends; the next use connects again.
            $this->connection->disconnect();
        }
    }
}
