<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Batch;
use Illuminate\Database\Connection;
use Throwable;

/**
 * Inserts rows and takes them back.
 *
 * @internal
 */
final readonly class Rehearsal
{
    private Connection $connection;

    public function __construct(private DateColumns $dates, private string $table, private ?Conflict $conflict)
    {
        $this->connection = $dates->connection;
    }

    /** @throws Throwable */
    public function play(Batch $batch): void
    {
        try {
            $this->insert($batch);
        } catch (Throwable $e) {
            $standIn = $this->standIn($batch);

            if ($standIn === null) {
                throw $e;
            }

            $this->insert($standIn);
        }
    }

    private function standIn(Batch $batch): ?Batch
    {
        // With a conflict clause a row that is there is no obstacle.
        return $this->conflict !== null ? null : StandIn::of($batch->record(0), UniqueIndexes::ofTable($this->connection, $this->table)->others([]));
    }

    private function insert(Batch $batch): void
    {
        $this->connection->beginTransaction();

        try {
            (new RowInserter($this->dates, $this->table, $this->conflict))->insert($batch);

            if ($this->connection->getDriverName() === 'pgsql') {
                // What would be looked at on the commit.
                $this->connection->unprepared('set constraints all immediate');
            }
        } finally {
            $this->connection->rollBack(0);
        }
    }
}
