<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Headroom\Sink\Database\DatabaseSink;
use Illuminate\Database\Schema\Blueprint;

/**
 * A table of counts, and a sink that adds events to its rows.
 */
abstract class AggregateTestCase extends DatabaseTestCase
{
    protected FreshDatabase $at;

    /** @var array<string, mixed> */
    protected array $options = [];

    /** @param array<string, mixed> $options */
    protected function begin(TestDatabase $kind, array $options = []): void
    {
        $this->at = $this->database($kind);
        $this->options = $options;
        $this->at->connection()->getSchemaBuilder()->create('counts', static function (Blueprint $table): void {
            $table->string('name', 40);
            $table->integer('hour');
            $table->bigInteger('calls')->nullable()->default(0);
            $table->decimal('cost', 24, 4)->default(0);
            $table->string('label')->nullable();
            $table->dateTime('last_at')->nullable();
            $table->integer('least')->nullable();
            $table->primary(['name', 'hour']);
        });
    }

    /** @return array<string, mixed> */
    protected function options(): array
    {
        return [
            'table' => 'counts',
            'mode' => 'aggregate',
            'unique' => ['name', 'hour'],
            'sum' => ['calls'],
            ...$this->options,
        ];
    }

    protected function sink(): DatabaseSink
    {
        return $this->at->configured($this->options());
    }

    /** @param non-empty-list<non-empty-array<string, scalar|null>> $rows */
    protected function deliver(array $rows): void
    {
        $this->registered($this->sink())->deliver($this->log->delivery($rows));
    }

    /** @return list<list<mixed>> */
    protected function counts(string ...$columns): array
    {
        return array_map(
            static fn (object $row): array => array_values(get_object_vars($row)),
            array_values(
                $this->at->connection()->table('counts')->orderBy('name')->orderBy('hour')->get($columns)->all(),
            ),
        );
    }
}
