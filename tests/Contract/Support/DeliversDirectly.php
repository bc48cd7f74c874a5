<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\Database\DatabaseSink;
use Headroom\Sink\Delivery;
use Illuminate\Database\Connection;
use Illuminate\Events\Dispatcher;

/**
 * Rows that a caller delivers without the log, and the names that another session sees.
 */
trait DeliversDirectly
{
    private FreshDatabase $database;

    private DatabaseSink $sink;

    /** @var list<bool> what was told of each delivery, in the order in which it was told */
    private array $told = [];

    private function begin(TestDatabase $kind): void
    {
        $this->database = $this->database($kind);
        $this->connection()->setEventDispatcher(new Dispatcher);
        $this->sink = $this->database->sink('events');
    }

    private function connection(): Connection
    {
        return $this->database->connection();
    }

    private function insert(string $name): void
    {
        $this->connection()->table('events')->insert(['name' => $name, 'number' => 0]);
    }

    private function direct(string $name, string ...$names): void
    {
        $records = array_map(
            static fn (string $name): Record => new Record(new Position(0, 0, 0), 1, ['name' => $name, 'number' => 1]),
            [$name, ...array_values($names)],
        );
        $this->sink->deliverDirectly(Delivery::direct('events', $records), function (bool $kept): void {
            $this->told[] = $kept;
        });
    }

    /** @return list<mixed> the names that another session sees, by arrival */
    private function others(): array
    {
        return array_values($this->database->other()->table('events')->orderBy('row')->pluck('name')->all());
    }
}
