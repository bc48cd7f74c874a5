<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Batch;
use Headroom\Sink\Database\Dialect\DateColumns;
use Headroom\Sink\Database\Upsert\ConflictResolution;
use Headroom\Sink\Database\Upsert\UniqueIndexes;
use Illuminate\Database\Connection;
use Throwable;

/**
 * Inserts rows and rolls back, to test whether the table would take them.
 *
 * @internal
 */
final class TrialInsert
{
    public readonly Connection $connection;

    /** @var ?list<non-empty-list<string>> columns of each unique index */
    private ?array $uniques = null;

    public function __construct(
        private readonly DateColumns $dates,
        private readonly string $table,
        private readonly ?ConflictResolution $conflict,
    ) {
        $this->connection = $dates->connection;
    }

    /** @throws Throwable */
    public function run(Batch $batch): void
    {
        try {
            $this->insert($batch);
        } catch (Throwable $e) {
            $probeRow = $this->probeRow($batch);

            if ($probeRow === null) {
                throw $e;
            }

            $this->insert($probeRow);
        }
    }

    private function probeRow(Batch $batch): ?Batch
    {
        // With a conflict clause, an existing row does not cause an error.
        $this->uniques ??= $this->conflict === null
            ? UniqueIndexes::ofTable($this->connection, $this->table)->others([])
            : [];

        return ProbeRow::of($batch->record(0), $this->uniques);
    }

    private function insert(Batch $batch): void
    {
        $this->connection->beginTransaction();

        try {
            (new RowInserter($this->dates, $this->table, $this->conflict))->insert($batch);

            if ($this->connection->getDriverName() === 'pgsql') {
                // Check deferred constraints now, because the transaction is never committed.
                $this->connection->unprepared('set constraints all immediate');
            }
        } finally {
            $this->connection->rollBack(0);
        }
    }
}
