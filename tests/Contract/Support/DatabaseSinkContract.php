<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Headroom\Sink\ExactlyOnce;
use Headroom\Testing\ExactlyOnceContract;

/**
 * The contract on a table, in each mode of the sink and on each database.
 */
abstract class DatabaseSinkContract extends ExactlyOnceContract
{
    private ?DatabaseDestination $destination = null;

    abstract protected function newDestination(): DatabaseDestination;

    protected function tearDown(): void
    {
        $this->destination?->drop();
        $this->destination = null;
    }

    public function createSink(): ExactlyOnce
    {
        return $this->destination()->sink();
    }

    public function arrived(): array
    {
        return $this->destination()->arrived();
    }

    public function obstruct(): void
    {
        $this->destination()->obstruct();
    }

    public function clear(): void
    {
        $this->destination()->clear();
    }

    private function destination(): DatabaseDestination
    {
        return $this->destination ??= $this->newDestination();
    }
}
