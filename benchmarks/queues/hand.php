<?php

declare(strict_types=1);

/**
 * Measures without a benchmark: queues jobs while the application is down, brings it up, and looks at the queue until
 * it is empty. It prints "queued", waits for a line, and prints the seconds: php hand.php CONNECTION QUEUE JOBS. It
 * knows nothing of Headroom.
 */

use Illuminate\Contracts\Console\Kernel;
use Illuminate\Queue\DatabaseQueue;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Queue;
use Workbench\App\Jobs\EmptyJob;

require dirname(__DIR__, 2).'/workbench/bootstrap/autoload.php';

const FIRST_LOOK_SECONDS = 0.5;
const LAST_LOOK_SECONDS = 0.005;
const MOST_SECONDS = 300;

$app = require dirname(__DIR__, 2).'/workbench/bootstrap/app.php';
$app->make(Kernel::class)->bootstrap();
[, $connection, $name, $jobs] = $argv;
$queue = Queue::connection($connection);

for ($left = (int) $jobs; $left > 0; $left -= 500) {
    $queue->bulk(array_map(static fn (): EmptyJob => new EmptyJob, range(1, min(500, $left))), '', $name);
}

// In production, a server updates its statistics within a minute. Before that, PostgreSQL completes a quarter fewer
// jobs a second.
match ($queue instanceof DatabaseQueue ? DB::connection()->getDriverName() : null) {
    'mariadb' => DB::select('ANALYZE TABLE jobs'),
    'pgsql' => DB::unprepared('ANALYZE jobs'),
    default => null,
};

if ($queue->size($name) !== (int) $jobs) {
    fwrite(STDERR, "{$queue->size($name)} jobs are queued and not {$jobs}.\n");
    exit(1);
}

echo "queued\n";
fgets(STDIN);

$start = hrtime(true);
unlink(storage_path('framework/down'));

$left = (int) $jobs;
$seconds = 0.0;

do {
    $before = $seconds;
    // Counting rows is work for the server, and more of it after many deletions: a few looks, more frequent towards
    // the end.
    $pause = $left < (int) $jobs ? $left * $seconds / ((int) $jobs - $left) / 4 : FIRST_LOOK_SECONDS;
    usleep((int) (1e6 * min(max($pause, LAST_LOOK_SECONDS), FIRST_LOOK_SECONDS)));
    $seconds = (hrtime(true) - $start) / 1e9;
    $left = $queue->size($name);
} while ($left > 0 && $seconds < MOST_SECONDS);

// The last job ended between the last two looks.
echo $left === 0 ? ($before + $seconds) / 2 : 'too long', "\n";
exit($left === 0 ? 0 : 1);
