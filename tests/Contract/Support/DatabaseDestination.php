<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Headroom\Sink\Database\DatabaseSink;
use Headroom\Testing\Arrived;
use Headroom\Testing\SinkContract;
use Illuminate\Database\Schema\Blueprint;

/**
 * A table for the events of the sink contract. Without it a delivery fails when the ledger has moved already.
 */
final readonly class DatabaseDestination
{
    private const TABLE = 'arrivals';

    private FreshDatabase $database;

    /** @param array<string, mixed> $mode the bucket's options for it */
    public function __construct(TestDatabase $kind, private array $mode = [])
    {
        $this->database = FreshDatabase::create($kind);
        $this->database->connection()
            ->getSchemaBuilder()
            ->create(self::TABLE, static function (Blueprint $table) use ($mode): void {
                $table->id('row');
                $mode === [] ? $table->string('id') : $table->string('id')->unique();
                $table->integer('times')->default(1);
                $table->longText('text')->nullable();
                $table->bigInteger('number')->nullable();
                $table->double('ratio')->nullable();
                $table->boolean('flag')->nullable();
            });
    }

    public function sink(): DatabaseSink
    {
        return $this->database->configured(['table' => self::TABLE, ...$this->mode]);
    }

    /** @return list<Arrived> */
    public function arrived(): array
    {
        $rows = $this->database->rows(self::TABLE);

        if ($this->mode !== []) {
            // Rows of one delivery are written in the order of their keys; those of one name have a number.
            array_multisort(
                array_map(
                    static fn (array $row): int
                        => preg_match('/^event (\\d+)$/', is_string($row['id']) ? $row['id'] : '', $m) === 1
                            ? (int) $m[1]
                            : 0,
                    $rows,
                ),
                array_keys($rows),
                $rows,
            );
        }

        return array_merge(...array_map(static function (array $row): array {
            $times = is_int($row['times']) ? $row['times'] : 0;
            unset($row['times']);

            foreach (SinkContract::COLUMNS as $column => $type) {
                if ($row[$column] !== null) {
                    settype($row[$column], $type);
                }
            }

            return array_fill(0, $times, new Arrived($row));
        }, $rows));
    }

    public function obstruct(): void
    {
        $this->database->connection()->getSchemaBuilder()->rename(self::TABLE, 'hidden');
    }

    public function clear(): void
    {
        $this->database->connection()->getSchemaBuilder()->rename('hidden', self::TABLE);
    }

    public function drop(): void
    {
        $this->database->drop();
    }
}
