<?php

declare(strict_types=1);

/*
 * What somebody does who has no benchmark: queues jobs while the application is down, brings it up, looks at the queue until it is empty.
 *
 * php hand.php queue CONNECTION QUEUE JOBS
 * php hand.php work CONNECTION QUEUE JOBS prints the seconds
 *
 * Knows nothing of Headroom.
 */

use Illuminate\Contracts\Console\Kernel;
use Illuminate\Queue\DatabaseQueue;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Queue;
use Workbench\App\Jobs\EmptyJob;

require dirname(__DIR__, 2).'/workbench/bootstrap/autoload.php';

const LOOK_MICROS = 500_000;
const LAST_LOOK_MICROS = 20_000;
const LAST_SHARE = 0.2;
const MOST_SECONDS = 300;

$app = require dirname(__DIR__, 2).'/workbench/bootstrap/app.php';
$app->make(Kernel::class)->bootstrap();
[, $step, $connection, $name, $jobs] = $argv;
$queue = Queue::connection($connection);

if ($step === 'queue') {
    for ($left = (int) $jobs; $left > 0; $left -= 500) {
        $queue->bulk(array_map(static fn (): EmptyJob => new EmptyJob, range(1, min(500, $left))), '', $name);
    }

    // A server comes to know of so many rows by itself within a minute. PostgreSQL gives a quarter fewer jobs a second until it does.
    match ($queue instanceof DatabaseQueue ? DB::connection()->getDriverName() : null) {
        'mariadb' => DB::select('ANALYZE TABLE jobs'),
        'pgsql' => DB::unprepared('ANALYZE jobs'),
        default => null,
    };

    exit;
}

if ($queue->size($name) !== (int) $jobs) {
    fwrite(STDERR, "{$queue->size($name)} jobs are queued and not {$jobs}.\n");
    exit(1);
}

$start = hrtime(true);
unlink(storage_path('framework/down'));

$left = (int) $jobs;

do {
    // Counting the rows of a table is work for its server, and more of it with each row that was deleted a moment ago.
    usleep($left > LAST_SHARE * (int) $jobs ? LOOK_MICROS : LAST_LOOK_MICROS);
    $seconds = (hrtime(true) - $start) / 1e9;
    $left = $queue->size($name);
} while ($left > 0 && $seconds < MOST_SECONDS);

echo $seconds < MOST_SECONDS ? $seconds : 'too long', "\n";
exit($seconds < MOST_SECONDS ? 0 : 1);
