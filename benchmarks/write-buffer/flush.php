<?php

declare(strict_types=1);

/*
 * One turn of a flush against hand-written inserts: flush.php DIR EVENTS prepare|SIDE, with WORKBENCH_STORAGE and DB_* set
 * and the tables migrated. Each turn is a process of its own, as a scheduled flush is, and has warmed up before it is
 * timed. Prints JSON.
 *
 *   ours     the Flusher through the Laravel sink, from sealed segments to committed rows, with the ledger
 *   written  plain PDO: reads the same events from NDJSON, decodes them, one prepared insert of 1,000 rows per transaction
 *   builder  the same with Laravel's query builder
 *   memory   as written, of rows that are arrays in memory already
 *
 * All use one connection, so the driver's settings are the same, and one table, which is emptied before each.
 */

use Headroom\Benchmarks\WriteBuffer\FlushTurn;
use Illuminate\Contracts\Console\Kernel;

require dirname(__DIR__, 2).'/workbench/bootstrap/autoload.php';
$app = require dirname(__DIR__, 2).'/workbench/bootstrap/app.php';
$app->make(Kernel::class)->bootstrap();

[, $dir, $events, $side] = $argv;
$turn = new FlushTurn($app->make('db'), $dir, (int) $events);

if ($side === 'prepare') {
    $turn->prepare();
} else {
    echo json_encode($turn->take($side), JSON_THROW_ON_ERROR), "\n";
}
