<?php

declare(strict_types=1);

/*
 * One turn of counting: aggregate.php DIR EVENTS prepare|SIDE, with WORKBENCH_STORAGE and DB_* set and the tables
 * migrated. Each turn is a process of its own, and has warmed up before it is timed. Prints JSON.
 *
 *   ours     the Flusher in mode aggregate, from sealed segments to committed sums, with the ledger
 *   written  plain PDO: reads the same calls from NDJSON, one prepared upsert for each, 1,000 in a transaction
 */

use Headroom\Benchmarks\WriteBuffer\AggregateTurn;
use Illuminate\Contracts\Console\Kernel;

require dirname(__DIR__, 2).'/workbench/bootstrap/autoload.php';
$app = require dirname(__DIR__, 2).'/workbench/bootstrap/app.php';
$app->make(Kernel::class)->bootstrap();

[, $dir, $events, $side] = $argv;
$turn = new AggregateTurn($app->make('db'), $dir, (int) $events);

if ($side === 'prepare') {
    $turn->prepare();
} else {
    echo json_encode($turn->take($side), JSON_THROW_ON_ERROR), "\n";
}
