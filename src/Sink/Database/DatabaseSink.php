<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Core\Position;
use Headroom\Sink\CursorMoved;
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
 * Writes events as rows, exactly once: the ledger row moves in the transaction of the rows. What the buffer could not
 * take is written without the ledger, in the caller's transaction if there is one.
 *
 * @internal
 */
final class DatabaseSink implements ExactlyOnce, HoldsBytes, Inspectable, SupportsDirectWrite, SupportsProbe
{
    /** A deadlock's other side is done soon. */
    private const TRIES = 4;

    private const CONFLICT_MICROS = 50_000;

    private bool $checked = false;

    private ?Ledger $ledger = null;

    private ?RowInserter $inserter = null;

    private ?DateColumns $dates = null;

    private ?TrialInsert $rehearsal = null;

    private ?ByteColumns $byteColumns = null;

    /** For a delivery whose rows the database can not take in one statement. */
    private bool $isApart = false;

    /** Whether this flush has begun another session already. */
    private bool $hasGivenUp = false;

    /** Where the range ends of which the rows were refused last: what lies before is tried again in parts. */
    private ?Position $failedUpTo = null;

    /** Whether the ledger has moved in the transaction that is open: what fails then fails for the rows. */
    private bool $isAtRows = false;

    public function __construct(
        private readonly ConnectionResolverInterface $connections,
        private readonly ?string $connectionName,
        private readonly string $table,
        private readonly Clock $clock,
        private readonly ?FaultPoint $checkpoint = null,
        private readonly ?ConflictResolution $conflict = null,
    ) {}

    /** @throws InvalidConfig */
    public static function fromOptions(ConnectionResolverInterface $connections, ConfigReader $options, Clock $clock, ?FaultPoint $checkpoint = null): self
    {
        $conflict = ConflictResolution::fromOptions($options);

        return new self($connections, $options->optionalString('connection'), $options->string('table'), $clock, $checkpoint, $conflict);
    }

    public function progress(Source $source): ?Progress
    {
        [$this->hasGivenUp, $this->rehearsal, $this->byteColumns, $this->failedUpTo] = [false, null, null, null];

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
                if ($this->isApart) {
                    [$this->inserter, $this->isApart] = [null, false];
                }
            }

            $this->checkpoint?->reached('delivery.committed');
        });
    }

    public function deliverDirectly(Delivery $delivery, Closure $settled): void
    {
        $connection = $this->connection();

        (new DirectInsert($this->dates($connection), $this->table, $this->conflict, $this->checked ? null : $this->examination()))->insert($delivery, $settled);
        $this->checked = true;
    }

    public function holdsBytes(string $column): bool
    {
        return $this->guarded(fn (Connection $connection): bool => ($this->byteColumns ??= new ByteColumns($connection, $this->table))->has($column));
    }

    public function tryOut(Delivery $delivery): void
    {
        $this->guarded(function (Connection $connection) use ($delivery): void {
            $this->refuseOpenTransaction($connection);

            try {
                if ($this->rehearsal?->connection !== $connection) {
                    $this->rehearsal = new TrialInsert($this->dates($connection), $this->table, $this->conflict);
                }

                $this->rehearsal->play($delivery->batch);
                $this->ledger($connection)->touch($delivery->source);
            } catch (Throwable $e) {
                $isAlive = $connection->transactionLevel() === 0 && Session::isAlive($connection);
                $isAlive ? $this->giveUp($connection) : $this->abandon($connection);

                throw $isAlive ? RefusedByDatabase::because($this->table, $e) : UnableToInsert::because($this->table, $e);
            }
        });
    }

    public function inspect(): array
    {
        return $this->examination()->problems();
    }

    /**
     * @throws CursorMoved
     * @throws UnableToDeliver
     */
    private function transact(Connection $connection, Delivery $delivery): void
    {
        for ($try = 1; ; $try++) {
            // A statement of an earlier delivery may be what fails, and a single row has mostly failed with others before.
            $isNew = $this->failedUpTo === null || $delivery->to->compare($this->failedUpTo) > 0;
            $isRepeated = $try === 1 && ($this->inserter !== null || (count($delivery->batch) === 1 && $isNew));

            [$this->isAtRows, $isCommitting] = [false, false];

            try {
                $connection->beginTransaction();
                $this->checkpoint?->reached('delivery.begun');
                $this->advanceAndInsert($connection, $delivery);
                $isCommitting = true;
                $connection->commit();

                return;
            } catch (Throwable $e) {
                $isAlive = $this->abandon($connection);

                // Whatever the server says of a commit: the ledger tells whether it was done.
                if ($isCommitting && $isAlive && $this->ledger($connection)->progress($delivery->source)?->position->equals($delivery->to) === true) {
                    throw CursorMoved::before($delivery);
                }

                // Keys that differ here and not there, such as words in capitals for a column that ignores them.
                if ($this->conflict !== null && ! $this->isApart && DatabaseError::isTwiceInStatement($e)) {
                    $this->isApart = true;

                    continue;
                }

                if ($e instanceof CursorMoved || $e instanceof UnableToDeliver || ! $isAlive || ! $this->isWorthARepeat($e, $try, $isRepeated)) {
                    throw $this->failure($connection, $delivery, $e, $isAlive);
                }
            }
        }
    }

    private function isWorthARepeat(Throwable $e, int $try, bool $isRepeated): bool
    {
        if (! DatabaseError::isConflict($e)) {
            return $isRepeated;
        }

        if ($try >= self::TRIES) {
            return false;
        }

        $this->clock->sleep(random_int(0, self::CONFLICT_MICROS * $try));

        return true;
    }

    /**
     * The session decides and no list of codes: where it is alive, and the ledger has moved, the server has looked at the
     * rows and refused them. Whether it would refuse any row is asked before one of them dies of it.
     */
    private function failure(Connection $connection, Delivery $delivery, Throwable $e, bool $isAlive): CursorMoved|UnableToDeliver
    {
        if ($e instanceof CursorMoved || $e instanceof UnableToDeliver) {
            return $e;
        }

        $isOfTheMoment = ! $isAlive || DatabaseError::isOfTheMoment($e);

        if ($this->isAtRows && ! $isOfTheMoment) {
            $this->failedUpTo = $this->failedUpTo === null || $delivery->to->compare($this->failedUpTo) > 0 ? $delivery->to : $this->failedUpTo;

            return RowsRefused::because($this->table, $e);
        }

        $this->giveUp($connection);

        return $isOfTheMoment ? UnableToInsert::because($this->table, $e) : RefusedByDatabase::because($this->table, $e);
    }

    private function advanceAndInsert(Connection $connection, Delivery $delivery): void
    {
        if ($this->inserter?->connection !== $connection) {
            $this->inserter = new RowInserter($this->dates($connection), $this->table, $this->conflict, $this->isApart, isOften: true);
        }

        // First of all statements: on SQLite a transaction that begins with a write waits for the lock instead of failing later.
        if (! $this->ledger($connection)->advance($delivery)) {
            throw CursorMoved::before($delivery);
        }

        $this->checkpoint?->reached('ledger.advanced');
        $this->isAtRows = true;
        $this->inserter->insert($delivery->batch);
        $this->checkpoint?->reached('rows.inserted');
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
                $this->examination()->refuseUnfit($connection);
                $this->checked = true;
            }

            return $work($connection);
        } catch (CursorMoved|UnableToDeliver $e) {
            throw $e;
        } catch (Throwable $e) {
            $isSaid = isset($connection) && DatabaseError::isOfServer($e) && ! DatabaseError::isOfTheMoment($e) && Session::isAlive($connection);

            throw $isSaid ? RefusedByDatabase::because($this->table, $e) : UnableToInsert::because($this->table, $e);
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

    private function examination(): TableCheck
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

    /** Behind a failover another session is with another server. One that is new is not to blame. */
    private function giveUp(Connection $connection): void
    {
        if (! $this->hasGivenUp) {
            $this->hasGivenUp = true;
            Session::drop($connection);
        }
    }

    /**
     * After a failure nobody knows what the session is in the middle of.
     *
     * @return bool whether the session is alive
     */
    private function abandon(Connection $connection): bool
    {
        try {
            $connection->rollBack(0);
            $isOver = true;
        } catch (Throwable) {
            // A trigger of SQLite may have rolled it back, too.
            $isOver = false;
        }

        $isAlive = Session::isAlive($connection);

        // Not before: within a transaction that failed, PostgreSQL does not let go of a statement. And not behind the end of
        // the connection, on which they would hold.
        [$this->ledger, $this->inserter, $this->dates] = [null, null, null];

        if (! $isOver || ! $isAlive) {
            // The server drops an open transaction with its connection; the next use opens a new one.
            $connection->disconnect();
        }

        return $isAlive;
    }
}
