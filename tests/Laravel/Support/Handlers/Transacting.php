<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Handlers;

use Headroom\Core\Record;
use Illuminate\Database\Connection;
use RuntimeException;

/**
 * Leaves its transaction open the first times that it is called: by an exception, or by a return before the commit.
 */
final class Transacting implements HandlesEach
{
    private int $called = 0;

    public function __construct(private readonly Connection $database) {}

    public function handle(Record $event): void
    {
        $this->database->beginTransaction();
        $this->database->table('api_events')->insert($event->values);

        match (++$this->called) {
            1 => throw new RuntimeException('Not now.'),
            2 => null,
            default => $this->database->commit(),
        };
    }
}
