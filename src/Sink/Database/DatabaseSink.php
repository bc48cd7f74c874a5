<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Core\Position;
use Headroom\Sink\CursorMoved;
use Headroom\Sink\Database\Dialect\ByteColumns;
use Headroom\Sink\Database\Dialect\DatabaseError;
use Headroom\Sink\Database\Dialect\DateColumns;
use Headroom\Sink\Database\Upsert\ConflictResolution;
use Headroom\Sink\Delivery;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\HoldsBytes;
use Headroom\Sink\Inspectable;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Sink\SupportsDirectWrite;
use Headroom\Sink\SupportsProbe;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Illuminate\Database\Connection;
use Illuminate\Database\ConnectionResolverInterface;
use InvalidArgumentException;
use Throwable;

/**
 * Inserts events as rows, exactly once: the ledger row moves in the transaction that inserts the rows. Events that the
 * buffer could not take bypass the ledger and join the caller's transaction, if there is one.
 *
 * @internal
 */
final class DatabaseSink implements ExactlyOnce, HoldsBytes, Inspectable, SupportsDirectWrite, SupportsProbe
{
    private bool $checked = false;

    private ?Ledger $ledger = null;

    private ?RowInserter $inserter = null;

    private ?DateColumns $dates = null;

    private ?TrialInsert $trial = null;

    private ?ByteColumns $byteColumns = null;

    /** True for a delivery whose rows the database cannot take in one statement. */
    private bool $isRowByRow = false;

    /** True if this flush has already replaced the session. */
    private bool $hasReconnected = false;

    /** End of the last range whose rows were rejected; the ranges before it are its parts. */
    private ?Position $failedUpTo = null;

    /** True if the ledger has moved in the open transaction: a later failure is a failure of the rows. */
    private bool $isLedgerAdvanced = false;

    public function __construct(
        private readonly ConnectionResolverInterface $connections,
        private readonly ?string $connectionName,
        private readonly string $table,
        private readonly Clock $clock,
        private readonly ?FaultPoint $faultPoint = null,
        private readonly ?ConflictResolution $conflict = null,
    ) {}

    /** @throws InvalidConfig */
    public static function fromOptions(
        ConnectionResolverInterface $connections,
        ConfigReader $options,
        Clock $clock,
        ?FaultPoint $faultPoint = null,
    ): self {
        $conflict = ConflictResolution::fromOptions($options);

        return new self(
            $connections,
            $options->optionalString('connection'),
            $options->string('table'),
            $clock,
            $faultPoint,
            $conflict,
        );
    }

    public function progress(Source $source): ?Progress
    {
        [$this->hasReconnected, $this->trial, $this->byteColumns, $this->failedUpTo] = [false, null, null, null];

        return $this->guarded(fn (Connection $connection): ?Progress => $this->ledger($connection)->progress($source));
    }

    public function register(Source $source): void
    {
        $this->guarded(function (Connection $connection) use ($source): void {
            $this->ledger($connection)->register($source);
        });
    }

    public function move(Source $source, Progress $from, Progress $to): void
    {
        $this->guarded(function (Connection $connection) use ($source, $from, $to): void {
            $this->ledger($connection)->move($source, $from, $to) || throw CursorMoved::from($source, $from);
        });
    }

    public function deliver(Delivery $delivery): void
    {
        $this->guarded(function (Connection $connection) use ($delivery): void {
            $this->refuseOpenTransaction($connection);

            try {
                $this->transact($connection, $delivery);
            } finally {
                if ($this->isRowByRow) {
                    [$this->inserter, $this->isRowByRow] = [null, false];
                }
            }

            $this->faultPoint?->reached('delivery.committed');
        });
    }

    public function deliverDirectly(Delivery $delivery, Closure $settled): void
    {
        $connection = $this->connection();

        (new DirectInsert(
            $this->dates($connection),
            $this->table,
            $this->conflict,
            $this->checked ? null : $this->check(),
        ))->insert($delivery, $settled);
        $this->checked = true;
    }

    public function holdsBytes(string $column): bool
    {
        return $this->guarded(fn (Connection $connection): bool => ($this->byteColumns ??= new ByteColumns(
            $connection,
            $this->table,
        ))->has($column));
    }

    public function probe(Delivery $delivery): void
    {
        $this->guarded(function (Connection $connection) use ($delivery): void {
            $this->refuseOpenTransaction($connection);

            try {
                if ($this->trial?->connection !== $connection) {
                    $this->trial = new TrialInsert($this->dates($connection), $this->table, $this->conflict);
                }

                $this->trial->run($delivery->batch);
                $this->ledger($connection)->touch($delivery->source);
            } catch (Throwable $e) {
                $isAlive = $connection->transactionLevel() === 0 && Session::isAlive($connection);
                $isAlive ? $this->reconnectOnce($connection) : $this->reset($connection);

                throw $isAlive
                    ? RefusedByDatabase::because($this->table, $e)
                    : UnableToInsert::because($this->table, $e);
            }
        });
    }

    public function inspect(): array
    {
        return $this->check()->problems();
    }

    /**
     * @throws CursorMoved
     * @throws UnableToDeliver
     */
    private function transact(Connection $connection, Delivery $delivery): void
    {
        for ($try = 1; ; $try++) {
            // A second attempt prepares its statement again, because an earlier delivery's statement may have caused
            // the failure. A single row that failed in a batch is not tried twice.
            $isNew = $this->failedUpTo === null || $delivery->to->compare($this->failedUpTo) > 0;
            $isRepeated = $try === 1 && ($this->inserter !== null || (count($delivery->batch) === 1 && $isNew));

            [$this->isLedgerAdvanced, $isCommitting] = [false, false];

            try {
                $connection->beginTransaction();
                $this->faultPoint?->reached('delivery.begun');
                $this->advanceAndInsert($connection, $delivery);
                $isCommitting = true;
                $connection->commit();

                return;
            } catch (Throwable $e) {
                $isAlive = $this->reset($connection);

                // The error of a commit proves nothing: the ledger shows whether the commit succeeded.
                if (
                    $isCommitting
                    && $isAlive
                    && $this->ledger($connection)->progress($delivery->source)?->position->equals($delivery->to)
                        === true
                ) {
                    throw CursorMoved::before($delivery);
                }

                // Two keys that differ in PHP can be equal in the database: upper and lower case in a column that
                // ignores case.
                if ($this->conflict !== null && ! $this->isRowByRow && DatabaseError::isDuplicateInStatement($e)) {
                    $this->isRowByRow = true;

                    continue;
                }

                if (
                    $e instanceof CursorMoved
                    || $e instanceof UnableToDeliver
                    || ! $isAlive
                    || ! (new TransactionRetry($this->clock))->allows($e, $try, $isRepeated)
                ) {
                    throw $this->failure($connection, $delivery, $e, $isAlive);
                }
            }
        }
    }

    /**
     * The session decides, not a list of error codes. If it is alive and the ledger has moved, the server has read the
     * rows and rejected them. The flusher tests whether the server rejects every row before it makes one a dead letter.
     */
    private function failure(
        Connection $connection,
        Delivery $delivery,
        Throwable $e,
        bool $isAlive,
    ): CursorMoved|UnableToDeliver {
        if ($e instanceof CursorMoved || $e instanceof UnableToDeliver) {
            return $e;
        }

        $isTransient = ! $isAlive || DatabaseError::isTransient($e);

        if ($this->isLedgerAdvanced && ! $isTransient) {
            $this->failedUpTo = $this->failedUpTo === null || $delivery->to->compare($this->failedUpTo) > 0
                ? $delivery->to
                : $this->failedUpTo;

            return RowsRefused::because($this->table, $e);
        }

        $this->reconnectOnce($connection);

        return $isTransient ? UnableToInsert::because($this->table, $e) : RefusedByDatabase::because($this->table, $e);
    }

    private function advanceAndInsert(Connection $connection, Delivery $delivery): void
    {
        if ($this->inserter?->connection !== $connection) {
            $this->inserter = new RowInserter(
                $this->dates($connection),
                $this->table,
                $this->conflict,
                $this->isRowByRow,
                isRepeated: true,
            );
        }

        // The ledger comes first: on SQLite a transaction that begins with a write waits for the lock instead of
        // failing later.
        if (! $this->ledger($connection)->advance($delivery)) {
            throw CursorMoved::before($delivery);
        }

        $this->faultPoint?->reached('ledger.advanced');
        $this->isLedgerAdvanced = true;
        $this->inserter->insert($delivery->batch);
        $this->faultPoint?->reached('rows.inserted');
    }

    private function ledger(Connection $connection): Ledger
    {
        if ($this->ledger?->connection !== $connection) {
            $this->ledger = new Ledger($connection, $this->clock);
        }

        return $this->ledger;
    }

    private function dates(Connection $connection): DateColumns
    {
        if ($this->dates?->connection !== $connection) {
            $this->dates = new DateColumns($connection, $this->table);
        }

        return $this->dates;
    }

    /**
     * @template TResult
     *
     * @param callable(Connection): TResult $work
     * @return TResult
     */
    private function guarded(callable $work): mixed
    {
        try {
            $connection = $this->connection();

            if (! $this->checked) {
                $this->check()->assertSuitable($connection);
                $this->checked = true;
            }

            return $work($connection);
        } catch (CursorMoved|UnableToDeliver $e) {
            throw $e;
        } catch (Throwable $e) {
            $isRejection = isset($connection)
                && DatabaseError::isDriverError($e)
                && ! DatabaseError::isTransient($e)
                && Session::isAlive($connection);

            throw $isRejection
                ? RefusedByDatabase::because($this->table, $e)
                : UnableToInsert::because($this->table, $e);
        }
    }

    /** @throws RefusedByDatabase */
    private function connection(): Connection
    {
        try {
            $connection = $this->connections->connection($this->connectionName);
        } catch (InvalidArgumentException $e) {
            throw RefusedByDatabase::connectionNotConfigured($e->getMessage());
        }

        return $connection instanceof Connection
            ? $connection
            : throw RefusedByDatabase::unknownConnection($connection::class);
    }

    private function check(): TableCheck
    {
        return new TableCheck($this->connections, $this->connectionName, $this->table, $this->conflict);
    }

    /** @throws RefusedByDatabase */
    private function refuseOpenTransaction(Connection $connection): void
    {
        $connection->reconnectIfMissingConnection();

        // Laravel does not count a transaction that was begun with plain SQL or on the PDO handle.
        if ($connection->transactionLevel() > 0 || $connection->getPdo()->inTransaction()) {
            throw RefusedByDatabase::openTransaction($connection->getName() ?? 'default');
        }
    }

    /** After a failover, a new session may reach another server. A session that is already new is not the cause. */
    private function reconnectOnce(Connection $connection): void
    {
        if (! $this->hasReconnected) {
            $this->hasReconnected = true;
            Session::drop($connection);
        }
    }

    /**
     * Ends the session's transaction, whose state is unknown after a failure.
     *
     * @return bool true if the session is alive
     */
    private function reset(Connection $connection): bool
    {
        $isOver = Session::rollBack($connection);
        $isAlive = Session::isAlive($connection);

        // Drop the statements between the rollback and the disconnect: PostgreSQL cannot deallocate a statement within
        // a failed transaction, and a kept statement would keep the disconnected connection alive.
        [$this->ledger, $this->inserter, $this->dates] = [null, null, null];

        if (! $isOver || ! $isAlive) {
            // The server rolls back an open transaction when its connection ends; the next use connects again.
            $connection->disconnect();
        }

        return $isAlive;
    }
}
