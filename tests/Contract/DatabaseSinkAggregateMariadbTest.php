<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Tests\Contract\Support\DatabaseDestination;
use Headroom\Tests\Contract\Support\DatabaseSinkContract;
use Headroom\Tests\Contract\Support\TestDatabase;

final class DatabaseSinkAggregateMariadbTest extends DatabaseSinkContract
{
    protected function newDestination(): DatabaseDestination
    {
        return new DatabaseDestination(
            TestDatabase::MariaDb,
            ['mode' => 'aggregate', 'unique' => ['id'], 'sum' => ['times']],
        );
    }
}
