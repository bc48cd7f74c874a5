<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Sink\ExactlyOnce;
use Headroom\Testing\ExactlyOnceContract;
use Headroom\Tests\Contract\Support\DatabaseDestination;
use Headroom\Tests\Contract\Support\TestDatabase;

final class DatabaseSinkUpsertSqliteTest extends ExactlyOnceContract
{
    private ?DatabaseDestination $destination = null;

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
        return $this->destination ??= new DatabaseDestination(TestDatabase::Sqlite, ['mode' => 'upsert', 'unique' => ['id']]);
    }
}
