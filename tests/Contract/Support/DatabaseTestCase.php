<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Headroom\Sink\Database\DatabaseSink;
use Headroom\Sink\Delivery;
use Headroom\Sink\UnableToDeliver;
use Headroom\Testing\ContractLog;
use Illuminate\Database\Schema\Blueprint;
use PHPUnit\Framework\TestCase;

/**
 * A database of its own for each test, with a table `events` of two columns, and one log.
 */
abstract class DatabaseTestCase extends TestCase
{
    private ?FreshDatabase $database = null;

    protected ContractLog $log;

    protected function setUp(): void
    {
        $this->log = ContractLog::of('events');
    }

    protected function tearDown(): void
    {
        $this->database?->drop();
        $this->database = null;
    }

    /** @param array<string, mixed> $settings */
    final protected function database(TestDatabase $kind, array $settings = []): FreshDatabase
    {
        $database = FreshDatabase::create($kind, $settings);
        $this->database = $database;
        $this->table($database, 'events');

        return $database;
    }

    final protected function table(FreshDatabase $database, string $name): void
    {
        $database->connection()->getSchemaBuilder()->create($name, static function (Blueprint $table): void {
            $table->id('row');
            // MyISAM of MySQL takes a key of 1000 bytes.
            $table->string('name', 240)->unique();
            $table->integer('number')->nullable();
        });
    }

    final protected function registered(DatabaseSink $sink): DatabaseSink
    {
        $sink->register($this->log->source);

        return $sink;
    }

    final protected function events(string $name, string ...$names): Delivery
    {
        return $this->log->delivery(array_map(
            static fn (string $name): array => ['name' => $name, 'number' => 1],
            [$name, ...array_values($names)],
        ));
    }

    /** @return list<mixed> */
    final protected function names(FreshDatabase $database, string $table = 'events'): array
    {
        return array_column($database->rows($table), 'name');
    }

    final protected function delivered(FreshDatabase $database): ?int
    {
        return $database->sink('events')->progress($this->log->source)?->delivered;
    }

    final protected function failureOf(DatabaseSink $sink, Delivery $delivery): UnableToDeliver
    {
        try {
            $sink->deliver($delivery);
        } catch (UnableToDeliver $failure) {
            return $failure;
        }

        self::fail('The delivery succeeded.');
    }
}
