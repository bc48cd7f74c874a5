<?php

declare(strict_types=1);

/*
 * Rows per second of a flush against hand-written inserts, in one process: flush.php DIR EVENTS ROUNDS, with WORKBENCH_STORAGE
 * and DB_* set and the tables migrated. Prints JSON.
 *
 *   ours     the Flusher through the Laravel sink, from sealed segments to committed rows, with the ledger
 *   written  plain PDO: reads the same events from NDJSON, decodes them, one prepared insert of 1,000 rows per transaction
 *   memory   the same inserts of rows that are arrays in memory already
 *
 * All three use one connection, so the driver's settings are the same, and one table, which is emptied before each.
 */

use Headroom\Benchmarks\WriteBuffer\FlushTurns;
use Illuminate\Contracts\Console\Kernel;

require dirname(__DIR__, 2).'/workbench/bootstrap/autoload.php';
$app = require dirname(__DIR__, 2).'/workbench/bootstrap/app.php';
$app->make(Kernel::class)->bootstrap();

[, $dir, $events, $rounds] = $argv;
echo json_encode((new FlushTurns($app->make('db'), $dir, (int) $events))->run((int) $rounds), JSON_THROW_ON_ERROR), "\n";
