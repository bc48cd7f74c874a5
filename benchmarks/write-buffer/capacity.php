<?php

declare(strict_types=1);

/*
 * What a buffered request costs the CPUs against one that writes nothing, everything counted that it causes: nginx, PHP-FPM,
 * spool:work and the database server.
 *   bin/services run mariadb -- php benchmarks/write-buffer/capacity.php
 *
 * Requests a second drift by up to 40 % on a machine that shares its CPUs with others, and so do turns of a second each. Here nothing
 * takes turns: two stacks of 25 workers answer every other request of one load, so that both see the same machine at each moment.
 */

use Headroom\Benchmarks\WriteBuffer\CpuOf;
use Headroom\Benchmarks\WriteBuffer\InTurn;
use Headroom\Host\Proc;
use Headroom\Host\WebStack;
use Headroom\Load\Generator;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Workbench\Rig\PageViews;
use Workbench\Rig\Rig;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const WORKERS = 25;
const CONNECTIONS = 100;
const ROUNDS = 36;
const SECONDS = 5.0;

$server = static fn (string $name): string => (string) getenv("HEADROOM_MARIADB_{$name}");

if ($server('HOST') === '' || ! WebStack::isInstalled()) {
    fwrite(STDERR, "MariaDB, nginx and PHP-FPM are needed. Run: bin/services run mariadb -- php benchmarks/write-buffer/capacity.php\n");
    exit(2);
}

$variables = ['DB_CONNECTION' => 'mariadb', 'DB_HOST' => $server('HOST'), 'DB_PORT' => $server('PORT'), 'DB_DATABASE' => $server('DATABASE'), 'DB_USERNAME' => $server('USERNAME'), 'DB_PASSWORD' => $server('PASSWORD')];
$database = new PDO("mysql:host={$server('HOST')};port={$server('PORT')};dbname={$server('DATABASE')}", $server('USERNAME'), $server('PASSWORD'));
$pidFile = $database->query('SELECT @@pid_file');
$databasePid = $pidFile === false ? 0 : (int) file_get_contents((string) $pidFile->fetchColumn());

$rigs = ['none' => new Rig($variables), 'buffered' => new Rig($variables)];
$stacks = [];

try {
    foreach ($rigs as $endpoint => $rig) {
        $rig->prepare();
        $stack = $rig->serve(WORKERS);
        $stacks[$endpoint] = $stack instanceof WebStack ? $stack : throw new RuntimeException('nginx and PHP-FPM are needed: bin/services install nginx fpm');
    }

    $worker = $rigs['buffered']->worker();
    $load = static function (string $prefix, float $seconds) use ($stacks): array {
        $turns = new InTurn(array_map(static fn (string $endpoint): PageViews => new PageViews("{$stacks[$endpoint]->url()}/events/{$endpoint}", "{$prefix}{$endpoint}-"), ['none', 'buffered']));
        $result = (new Generator)->run(Plan::duration($seconds, CONNECTIONS, timeout: 30.0), $turns);

        return [$result->finished(), $result->finished() - $result->count(Outcome::Succeeded)];
    };

    // Opcache takes no file that is younger than two seconds.
    $load('warm-', 3.0);
    // Once spool:work has the process for heartbeats, too.
    sleep(10);
    $load('warm-again-', 2.0);
    $ofStack = static fn (WebStack $stack): array => [$stack->nginx()->pid(), ...$stack->nginx()->workerPids(), $stack->fpm()->pid(), ...$stack->workerPids()];
    $cpu = [
        'none' => new CpuOf($ofStack($stacks['none'])),
        'buffered' => new CpuOf($ofStack($stacks['buffered'])),
        // It has a process for each bucket in use and one for heartbeats: docs/adr/0008.
        'spool:work' => new CpuOf([(int) $worker->getPid(), ...array_keys((new Proc)->descendants((int) $worker->getPid()))]),
        'database' => new CpuOf([$databasePid]),
    ];

    fprintf(STDERR, "spool:work has %d processes\n", 1 + count((new Proc)->descendants((int) $worker->getPid())));
    $ratios = $rows = [];
    $errors = 0;

    for ($round = 0; $round < ROUNDS; $round++) {
        $before = array_map(static fn (CpuOf $of): int => $of->micros(), $cpu);
        [$finished, $failed] = $load("{$round}-", SECONDS);
        // What was buffered in the last second is delivered, too.
        usleep(2_500_000);
        $used = array_map(static fn (CpuOf $of, int $then): int => $of->micros() - $then, $cpu, $before);
        $rows[] = $used = [...array_combine(array_keys($cpu), $used), 'pairs' => $finished / 2];
        $ratios[] = $used['none'] / ($used['buffered'] + $used['spool:work'] + $used['database']);
        $errors += $failed;
        fprintf(STDERR, "  round %d of %d, %d requests, none / all of buffered %.3f\n", $round + 1, ROUNDS, $finished, end($ratios));
    }
} finally {
    isset($worker) && $worker->stop(5);
    array_map(static fn (WebStack $stack) => $stack->stop(), $stacks);
    array_map(static fn (Rig $rig) => $rig->remove(), $rigs);
}

$of = static fn (string $part): float => array_sum(array_column($rows, $part)) / array_sum(array_column($rows, 'pairs'));
$ratio = $of('none') / ($of('buffered') + $of('spool:work') + $of('database'));
printf("%d requests to each. CPU of one: none %.0f us, buffered %.0f us, its delivery %.0f us (spool:work) and %.0f us (database)\nas many as of none: %.3f (rounds %.3f to %.3f)\n", array_sum(array_column($rows, 'pairs')), $of('none'), $of('buffered'), $of('spool:work'), $of('database'), $ratio, min($ratios), max($ratios));
echo 'RESULT ', json_encode(['none_micros' => round($of('none')), 'buffered_micros' => round($of('buffered')), 'worker_micros' => round($of('spool:work')), 'database_micros' => round($of('database')), 'buffered_vs_none_by_cpu' => round($ratio, 4), 'errors' => $errors], JSON_THROW_ON_ERROR), "\n";
