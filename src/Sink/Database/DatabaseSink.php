<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Checkpoint;
use Headroom\Core\Clock;
use Headroom\Core\Examinable;
use Headroom\Core\InvalidConfig;
use Headroom\Core\Options;
use Headroom\Sink\CursorMoved;
use Headroom\Sink\Delivery;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Illuminate\Database\Connection;
use Illuminate\Database\ConnectionResolverInterface;
use Throwable;

/**
 * Inserts events as rows, exactly once: the ledger row moves in the transaction of the insert.
 *
 * @internal
 */
final class DatabaseSink implements Examinable, ExactlyOnce
{
    private bool $checked = false;

    public function __construct(
        private readonly ConnectionResolverInterface $connections,
        private readonly ?string $connectionName,
        private readonly string $table,
        private readonly Clock $clock,
        private readonly ?Checkpoint $checkpoint = null,
    ) {}

    /** @throws InvalidConfig */
    public static function fromOptions(ConnectionResolverInterface $connections, Options $options, Clock $clock): self
    {
        $options->only(['table', 'connection', 'mode'])->oneOf('mode', ['insert'], 'insert');

        return new self($connections, $options->optionalString('connection'), $options->string('table'), $clock);
    }

    public function progress(Source $source): ?Progress
    {
        return $this->guarded(fn (Connection $connection): ?Progress => $this->ledger($connection)->progress($source));
    }

    public function register(Source $source): void
    {
        $this->guarded(function (Connection $connection) use ($source): void {
            $this->ledger($connection)->register($source);
        });
    }

    public function deliver(Delivery $delivery): void
    {
        $this->guarded(function (Connection $connection) use ($delivery): void {
            if ($connection->transactionLevel() > 0) {
                throw RefusedByDatabase::openTransaction($connection->getName() ?? 'default');
            }

            $connection->beginTransaction();

            // First of all statements: on SQLite a transaction that begins with a write waits for the lock instead of failing later.
            if (! $this->ledger($connection)->advance($delivery)) {
                throw CursorMoved::before($delivery);
            }

            $this->checkpoint?->reached('ledger.advanced');
            (new RowInserter($connection, $this->table))->insert($delivery->batch);
            $this->checkpoint?->reached('rows.inserted');
            $connection->commit();
            $this->checkpoint?->reached('delivery.committed');
        });
    }

    public function examine(): array
    {
        return (new Examination($this->connections, $this->connectionName, $this->table))->problems();
    }

    private function ledger(Connection $connection): Ledger
    {
        return new Ledger($connection, $this->clock);
    }

    /**
     * @template TResult
     *
     * @param callable(Connection): TResult $work
     * @return TResult
     */
    private function guarded(callable $work): mixed
    {
        $connection = null;

        try {
            $connection = $this->connection();

            if (! $this->checked) {
                (new Examination($this->connections, $this->connectionName, $this->table))->refuseNonTransactional($connection);
                $this->checked = true;
            }

            return $work($connection);
        } catch (CursorMoved|RefusedByDatabase $e) {
            $this->abandon($connection);

            throw $e;
        } catch (Throwable $e) {
            $this->abandon($connection);

            throw DatabaseError::isPermanent($e) ? RefusedByDatabase::because($this->table, $e) : UnableToInsert::because($this->table, $e);
        }
    }

    /** @throws RefusedByDatabase */
    private function connection(): Connection
    {
        $connection = $this->connections->connection($this->connectionName);

        return $connection instanceof Connection
            ? $connection
            : throw RefusedByDatabase::unknownConnection($connection::class);
    }

    /**
     * After a failure nobody knows what the session is in the middle of. A caller's own transaction is not touched.
     */
    private function abandon(?Connection $connection): void
    {
        if ($connection === null || $connection->transactionLevel() !== 1) {
            return;
        }

        try {
            $connection->rollBack();
        } catch (Throwable) {
            // The server drops an open transaction with its connection; the next use opens a new one.
            $connection->disconnect();
        }
    }
}
