<?php

declare(strict_types=1);

/*
 * What a buffered request costs the CPUs against one that writes nothing, everything counted that it causes: nginx,
 * PHP-FPM, spool:work and the database server. Beside them the least that an application can do by hand to keep an
 * event, a locked file_put_contents(), which nobody delivers.
 *   composer dump-autoload --optimize && bin/services run mariadb -- php benchmarks/write-buffer/capacity.php
 *
 * Requests a second drift by up to 40 % on a machine that shares its CPUs with others, and so do turns of a second
 * each. Here nothing takes turns: three stacks of 25 workers answer every third request of one load, so that all see
 * the same machine at each moment. Stacks that do the same differ by some per cent for as long as they live, as their
 * memory lies in other places. So with each round they change places, and they are started anew several times.
 *
 * A delivery costs the less for an event the more events it takes, and in such a round only a third of the requests are
 * buffered. What it costs where all are is seen in rounds of their own.
 *
 * There are two ratios. One is of the server's CPU. The other one is of requests a second where the client shares the
 * cores, as in `make bench-write-buffer`: there the cores have their time for it, too.
 *
 * With the database 2 ms away, behind a proxy whose CPU counts as delivery:
 *   bin/services run mariadb -- php benchmarks/write-buffer/capacity.php away
 */

use Headroom\Benchmarks\WriteBuffer\ClassMap;
use Headroom\Benchmarks\WriteBuffer\CpuOf;
use Headroom\Benchmarks\WriteBuffer\InTurn;
use Headroom\Dev\DelayProxy;
use Headroom\Host\WebStack;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Process\Proc;
use Workbench\Rig\PageViews;
use Workbench\Rig\Rig;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const WORKERS = 25;
const CONNECTIONS = 100;
const ENDPOINTS = ['none', 'file', 'buffered'];
/** Of a stack for each. */
const STARTS = 4;
/** Of each start; each stack is equally often in each place. */
const ROUNDS = 9;
/** Of each start, in which all stacks buffer. */
const FULL_ROUNDS = 4;
const SECONDS = 5.0;

ClassMap::require();

$server = static fn (string $name): string => (string) getenv("HEADROOM_MARIADB_{$name}");

if ($server('HOST') === '' || ! WebStack::isInstalled()) {
    fwrite(
        STDERR,
        'MariaDB, nginx and PHP-FPM are needed. Run: bin/services run mariadb -- php'
            ." benchmarks/write-buffer/capacity.php\n",
    );
    exit(2);
}

$proxy = ($argv[1] ?? '') === 'away' ? DelayProxy::start($server('HOST'), (int) $server('PORT'), 2.0) : null;
$variables = [
    'DB_CONNECTION' => 'mariadb',
    'DB_HOST' => $proxy === null ? $server('HOST') : $proxy->host,
    'DB_PORT' => $proxy === null ? $server('PORT') : (string) $proxy->port,
    'DB_DATABASE' => $server('DATABASE'),
    'DB_USERNAME' => $server('USERNAME'),
    'DB_PASSWORD' => $server('PASSWORD'),
];
$database = new PDO(
    "mysql:host={$server('HOST')};port={$server('PORT')};dbname={$server('DATABASE')}",
    $server('USERNAME'),
    $server('PASSWORD'),
);
$pidFile = $database->query('SELECT @@pid_file');
$databasePid = $pidFile === false ? 0 : (int) file_get_contents((string) $pidFile->fetchColumn());

/** @return list<string> endpoints by stack */
$places = static fn (int $round): array
    => [...array_slice(ENDPOINTS, $round % count(ENDPOINTS)), ...array_slice(ENDPOINTS, 0, $round % count(ENDPOINTS))];
$rig = new Rig($variables);
$ofStack = static fn (WebStack $stack): array
    => [$stack->nginx()->pid(), ...$stack->nginx()->workerPids(), $stack->fpm()->pid(), ...$stack->workerPids()];
$serve = static fn (): WebStack => ($stack = $rig->serve(WORKERS)) instanceof WebStack
    ? $stack
    : throw new RuntimeException('nginx and PHP-FPM are needed: bin/services install nginx fpm');
$stacks = $rows = $fullRows = [];
$errors = 0;

try {
    $rig->prepare();
    $worker = $rig->worker();

    for ($start = 0; $start < STARTS; $start++) {
        $stacks = array_map(static fn (string $endpoint): WebStack => $serve(), ENDPOINTS);
        /** @param list<string> $endpoints by stack */
        $load = static function (string $prefix, float $seconds, array $endpoints) use ($stacks, $start): array {
            $turns = new InTurn(array_map(
                static fn (WebStack $stack, string $endpoint, int $number): PageViews
                    => new PageViews("{$stack->url()}/events/{$endpoint}", "{$start}-{$prefix}-{$number}-"),
                $stacks,
                $endpoints,
                array_keys($endpoints),
            ));
            $result = (new LoadGenerator)->run(Plan::duration($seconds, CONNECTIONS, timeout: 30.0), $turns);

            return [$result->finished(), $result->finished() - $result->count(Outcome::Succeeded)];
        };

        // Opcache takes no file that is younger than two seconds.
        $load('warm', 3.0, $places(0));
        // Once spool:work has the process for heartbeats, too.
        sleep($start === 0 ? 10 : 1);
        $load('warm again', 2.0, $places(1));
        $load('warm once more', 2.0, $places(2));

        // It has a process for each bucket in use and one for heartbeats: docs/adr/0008.
        $workers = [(int) $worker->getPid(), ...array_keys((new Proc)->descendants((int) $worker->getPid()))];
        $delivery = [
            'spool:work' => new CpuOf($workers),
            'database' => new CpuOf([$databasePid, ...($proxy === null ? [] : [$proxy->pid()])]),
        ];
        $measured = static function (array $cpu, Closure $answer) use (&$errors, $start): array {
            $before = array_map(static fn (CpuOf $of): int => $of->micros(), $cpu);
            $client = new CpuOf([(int) getmypid()]);
            $then = $client->micros();
            [$finished, $failed] = $answer();
            $client = $client->micros() - $then;
            $errors += $failed;
            // What was buffered in the last second is delivered, too.
            usleep(2_500_000);

            return [
                ...array_combine(
                    array_keys($cpu),
                    array_map(static fn (CpuOf $of, int $then): int => $of->micros() - $then, $cpu, $before),
                ),
                'client' => $client,
                'requests' => $finished,
                'start' => $start,
            ];
        };

        for ($round = 0; $round < ROUNDS; $round++) {
            $endpoints = $places($round);
            $row = $measured(
                array_combine(
                    $endpoints,
                    array_map(static fn (WebStack $stack): CpuOf => new CpuOf($ofStack($stack)), $stacks),
                ),
                static fn (): array => $load("{$round}", SECONDS, $endpoints),
            );
            $rows[] = [...$row, 'requests' => $row['requests'] / count(ENDPOINTS)];
            fprintf(
                STDERR,
                "  start %d of %d, round %d of %d, %d requests, none / file %.3f, none / buffered %.3f\n",
                $start + 1,
                STARTS,
                $round + 1,
                ROUNDS,
                $row['requests'],
                $row['none'] / $row['file'],
                $row['none'] / $row['buffered'],
            );
        }

        for ($round = 0; $round < FULL_ROUNDS; $round++) {
            $fullRows[] = $row = $measured(
                $delivery,
                static fn (): array => $load("full-{$round}", SECONDS, array_fill(0, count(ENDPOINTS), 'buffered')),
            );
            fprintf(
                STDERR,
                "  start %d of %d, all buffered, round %d of %d, %d requests, delivery %.0f us\n",
                $start + 1,
                STARTS,
                $round + 1,
                FULL_ROUNDS,
                $row['requests'],
                ($row['spool:work'] + $row['database']) / $row['requests'],
            );
        }

        array_map(static fn (WebStack $stack) => $stack->stop(), $stacks);
        $stacks = [];
    }
} finally {
    isset($worker) && $worker->stop(5);
    array_map(static fn (WebStack $stack) => $stack->stop(), $stacks);
    $rig->remove();
    $proxy?->stop();
}

/** @param list<array<string, int|float>> $rows */
$of = static fn (string $part, array $rows): float => array_sum(array_column($rows, $part))
    / array_sum(array_column($rows, 'requests'));
/** @return array<string, float> */
$ratios = static function (?int $start) use ($of, $rows, $fullRows): array {
    [$mixed, $full] = array_map(
        static fn (array $rows): array
            => array_filter($rows, static fn (array $row): bool => in_array($start, [null, $row['start']], true)),
        [$rows, $fullRows],
    );
    $delivered = $of('buffered', $mixed) + $of('spool:work', $full) + $of('database', $full);
    $client = $of('client', $mixed);

    return [
        'by_cpu' => $of('none', $mixed) / $delivered,
        'requests' => ($of('none', $mixed) + $client) / ($delivered + $client),
        'file_by_cpu' => $of('none', $mixed) / $of('file', $mixed),
    ];
};
$whole = $ratios(null);
$starts = array_map($ratios, range(0, STARTS - 1));
$round = static fn (float $ratio): float => round($ratio, 4);
$result = [
    'none_micros' => round($of('none', $rows)),
    'file_micros' => round($of('file', $rows)),
    'buffered_micros' => round($of('buffered', $rows)),
    'client_micros' => round($of('client', $rows)),
    'worker_micros' => round($of('spool:work', $fullRows)),
    'database_micros' => round($of('database', $fullRows)),
    'buffered_vs_none_by_cpu' => $round($whole['by_cpu']),
    'buffered_vs_none_by_cpu_of_each_start' => array_map($round, array_column($starts, 'by_cpu')),
    'buffered_vs_none_in_requests' => $round($whole['requests']),
    'buffered_vs_none_in_requests_of_each_start' => array_map($round, array_column($starts, 'requests')),
    'file_vs_none_by_cpu' => $round($whole['file_by_cpu']),
    'file_vs_none_by_cpu_of_each_start' => array_map($round, array_column($starts, 'file_by_cpu')),
    'errors' => $errors,
];
$spread = static fn (string $name): string => sprintf(
    '%.3f (starts %.3f to %.3f)',
    $whole[$name],
    min(array_column($starts, $name)),
    max(array_column($starts, $name)),
);
printf(
    '%d requests to each, %d more where all are buffered. CPU of one: none %d us, file %d us, buffered %d us,'
        ." its delivery %d us (spool:work) and %d us (database), client %d us\n",
    array_sum(array_column($rows, 'requests')),
    array_sum(array_column($fullRows, 'requests')),
    $result['none_micros'],
    $result['file_micros'],
    $result['buffered_micros'],
    $result['worker_micros'],
    $result['database_micros'],
    $result['client_micros'],
);
echo "as many as of none by the CPU of the server: buffered and delivered {$spread('by_cpu')}, a locked file that"
    ." nobody delivers {$spread('file_by_cpu')}\n";
echo "in requests a second, the client beside it: buffered and delivered {$spread('requests')}\n";
echo 'RESULT ', json_encode($result, JSON_THROW_ON_ERROR), "\n";
