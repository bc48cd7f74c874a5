<?php

declare(strict_types=1);

use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Table;

return new Experiment(
    'torture',
    'Kills, crashes and disk faults',
    'The test kills processes that append and deliver with `kill -9`, stops them at each crash point of the protocol in'
        .' turn, and gives them disks that fail. Afterwards each acknowledged event must be in the database once.',
    'The buffer lost {result/sqlite/lost|count|=0} of {result/sqlite/acknowledged|count} acknowledged events with'
        .' SQLite, {result/mariadb/lost|count|=0} of {result/mariadb/acknowledged|count} with MariaDB, and'
        .' {result/pgsql/lost|count|=0} of {result/pgsql/acknowledged|count} with PostgreSQL.',
    'make torture',
    'about an hour',
    [
        Table::each(
            ['', 'acknowledged', 'writers killed', 'flushers killed', 'crash points', 'lost', 'twice'],
            ['SQLite' => 'result/sqlite', 'MariaDB' => 'result/mariadb', 'PostgreSQL' => 'result/pgsql'],
            [
                '{@/acknowledged|count}', '{@/writer_kills|count}', '{@/flusher_kills|count}', '{@/crash_points|count}',
                '{@/lost|count|=0}', '{@/double|count|=0}',
            ],
        ),
    ],
    [],
    ['Whether a loss is impossible: the test kills and breaks what it can reach, for as long as it runs.'],
);
