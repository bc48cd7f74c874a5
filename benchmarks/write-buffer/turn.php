<?php

declare(strict_types=1);

/**
 * One turn: turn.php flush|aggregate DIR EVENTS prepare|SIDE, with WORKBENCH_STORAGE and DB_* set and the tables
 * migrated. Each turn is a process of its own, as a scheduled flush is, with a warm-up before it is timed. Prints
 * JSON.
 */

use Headroom\Benchmarks\WriteBuffer\AggregateTurn;
use Headroom\Benchmarks\WriteBuffer\FlushTurn;
use Illuminate\Contracts\Console\Kernel;

require dirname(__DIR__, 2).'/workbench/bootstrap/autoload.php';
$app = require dirname(__DIR__, 2).'/workbench/bootstrap/app.php';
$app->make(Kernel::class)->bootstrap();

[, $kind, $dir, $events, $side] = $argv;
$turn = match ($kind) {
    'flush' => new FlushTurn($app->make('db'), $dir, (int) $events),
    'aggregate' => new AggregateTurn($app->make('db'), $dir, (int) $events),
    default => throw new RuntimeException("There is no turn of {$kind}."),
};

if ($side === 'prepare') {
    $turn->prepare();
} else {
    echo json_encode($turn->take($side), JSON_THROW_ON_ERROR), "\n";
}
