<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

/**
 * Faults that are planted in the SQL server.
 */
final readonly class DatabaseFaults
{
    /** @return list<Planting> */
    public static function faults(): array
    {
        return [
            new Planting('D8 no query is written down', 'D8', sql: ['set global slow_query_log = 0']),
            new Planting('D8 only the slowest are', 'D8', sql: ['set global long_query_time = 10']),
            new Planting(
                'D1 fewer connections than processes',
                'D1',
                fpm: ['pm.max_children = 4' => 'pm.max_children = 8'],
                sql: ['set global max_connections = 12'],
            ),
            new Planting('D5 a transaction that stays open', 'D5', sql: ['leave open 11']),
            new Planting('D6 a deadlock', 'D6', sql: ['deadlock'], isProse: true),
        ];
    }

    /** @return list<Planting> */
    public static function nearMisses(): array
    {
        return [
            new Planting('queries of a second are written down', '', sql: ['set global long_query_time = 1']),
            new Planting(
                'just enough connections',
                '',
                fpm: ['pm.max_children = 4' => 'pm.max_children = 8'],
                sql: ['set global max_connections = 13'],
            ),
            new Planting('a busy transaction', '', sql: ['leave open 2']),
        ];
    }
}
