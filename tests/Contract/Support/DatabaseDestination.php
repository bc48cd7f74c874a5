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

    public function __construct(TestDatabase $kind)
    {
        $this->database = FreshDatabase::create($kind);
        $this->database->connection()->getSchemaBuilder()->create(self::TABLE, static function (Blueprint $table): void {
            $table->id('row');
            $table->string('id');
            $table->longText('text')->nullable();
            $table->bigInteger('number')->nullable();
            $table->double('ratio')->nullable();
            $table->boolean('flag')->nullable();
        });
    }

    public function sink(): DatabaseSink
    {
        return $this->database->sink(self::TABLE);
    }

    /** @return list<Arrived> */
    public function arrived(): array
    {
        return array_map(static function (array $row): Arrived {
            foreach (SinkContract::COLUMNS as $column => $type) {
                if ($row[$column] !== null) {
                    settype($row[$column], $type);
                }
            }

            return new Arrived($row);
        }, $this->database->rows(self::TABLE));
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
