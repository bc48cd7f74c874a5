<?php

declare(strict_types=1);

/*
 * What spool:work takes of a CPU, by its processes, while nothing arrives and at 110 events/s in one bucket of the workbench's eleven:
 *   bin/services run mariadb -- php benchmarks/write-buffer/worker.php
 */

use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Plan;
use Headroom\Load\Stages;
use Headroom\Process\Proc;
use Workbench\Rig\PageViews;
use Workbench\Rig\Rig;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const RATE = 110.0;
const SECONDS = 30.0;

$server = static fn (string $name): string => (string) getenv("HEADROOM_MARIADB_{$name}");

if ($server('HOST') === '') {
    fwrite(STDERR, "MariaDB is needed. Run: bin/services run mariadb -- php benchmarks/write-buffer/worker.php\n");
    exit(2);
}

/** Milliseconds of CPU that a process has used, and in whole ticks those of its children that have ended. */
$used = static function (int $pid): float {
    $stat = (string) file_get_contents("/proc/{$pid}/stat");
    $fields = explode(' ', substr($stat, (int) strrpos($stat, ')') + 2));

    return (int) file_get_contents("/proc/{$pid}/schedstat") / 1e6 + 10.0 * ((int) $fields[13] + (int) $fields[14]);
};

$rig = new Rig([
    'DB_CONNECTION' => 'mariadb',
    'DB_HOST' => $server('HOST'),
    'DB_PORT' => $server('PORT'),
    'DB_DATABASE' => $server('DATABASE'),
    'DB_USERNAME' => $server('USERNAME'),
    'DB_PASSWORD' => $server('PASSWORD'),
]);

try {
    $rig->prepare();
    $stack = $rig->serve(10);
    $worker = $rig->worker();
    $events = new PageViews("{$stack->url()}/events/buffered", 'worker-');
    (new LoadGenerator)->run(Plan::requests(100, 5, timeout: 30.0), $events, $events);
    // The first heartbeat is told five seconds after the start.
    sleep(10);
    $pids = [(int) $worker->getPid(), ...array_keys((new Proc)->descendants((int) $worker->getPid()))];
    $result = ['processes' => count($pids)];

    foreach (['idle' => 0.0, 'busy' => RATE] as $name => $rate) {
        $before = array_map($used, $pids);
        $arrived = $rate > 0
            ? (new LoadGenerator)->run(
                Plan::arrivalRate(Stages::constant($rate, SECONDS), timeout: 30.0),
                $events,
                $events,
            )
                ->finished()
            : 0;
        $rate > 0 || usleep((int) (SECONDS * 1_000_000));
        $millis = array_map(static fn (int $pid, float $then): float => $used($pid) - $then, $pids, $before);

        printf("%s, %d events in %d s:\n", $name, $arrived, SECONDS);

        foreach ($pids as $i => $pid) {
            printf("  %-32s %6.1f ms\n", implode(' ', (new Proc)->commandLine($pid)), $millis[$i]);
        }

        $result["{$name}_millis_per_s"] = round(array_sum($millis) / SECONDS, 2);
        $arrived === 0 || $result['micros_per_event'] = round(1000 * array_sum($millis) / $arrived, 1);
    }
} finally {
    isset($worker) && $worker->stop(5);
    isset($stack) && $stack->stop();
    $rig->remove();
}

echo 'RESULT ', json_encode($result, JSON_THROW_ON_ERROR), "\n";
