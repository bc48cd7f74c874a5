<?php

declare(strict_types=1);

/*
 * What a buffered request costs the CPUs against one that writes nothing, everything counted that it causes: nginx, PHP-FPM,
 * spool:work and the database server.
 *   bin/services run mariadb -- php benchmarks/write-buffer/capacity.php
 *
 * Requests a second drift by up to 40 % on a machine that shares its CPUs with others, and so do turns of a second each. Here nothing
 * takes turns: two stacks of 25 workers answer every other request of one load, so that both see the same machine at each moment.
 * Two stacks that do the same differ by some per cent for as long as they live, as their memory lies in other places. So in
 * every other round they change places, and there are several pairs.
 */

use Headroom\Benchmarks\WriteBuffer\CpuOf;
use Headroom\Benchmarks\WriteBuffer\InTurn;
use Headroom\Host\Proc;
use Headroom\Host\Server;
use Headroom\Host\WebStack;
use Headroom\Load\Generator;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Workbench\Rig\PageViews;
use Workbench\Rig\Rig;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const WORKERS = 25;
const CONNECTIONS = 100;
/** Of stacks. */
const PAIRS = 4;
/** Of each pair, half of them with each stack in each place. */
const ROUNDS = 10;
const SECONDS = 5.0;
const ENDPOINTS = ['none', 'buffered'];

$server = static fn (string $name): string => (string) getenv("HEADROOM_MARIADB_{$name}");

if ($server('HOST') === '' || ! WebStack::isInstalled()) {
    fwrite(STDERR, "MariaDB, nginx and PHP-FPM are needed. Run: bin/services run mariadb -- php benchmarks/write-buffer/capacity.php\n");
    exit(2);
}

$variables = ['DB_CONNECTION' => 'mariadb', 'DB_HOST' => $server('HOST'), 'DB_PORT' => $server('PORT'), 'DB_DATABASE' => $server('DATABASE'), 'DB_USERNAME' => $server('USERNAME'), 'DB_PASSWORD' => $server('PASSWORD')];
$database = new PDO("mysql:host={$server('HOST')};port={$server('PORT')};dbname={$server('DATABASE')}", $server('USERNAME'), $server('PASSWORD'));
$pidFile = $database->query('SELECT @@pid_file');
$databasePid = $pidFile === false ? 0 : (int) file_get_contents((string) $pidFile->fetchColumn());

$rig = new Rig($variables);
$ofStack = static fn (WebStack $stack): array => [$stack->nginx()->pid(), ...$stack->nginx()->workerPids(), $stack->fpm()->pid(), ...$stack->workerPids()];
$stacks = $rows = [];
$errors = 0;

try {
    $rig->prepare();
    $worker = $rig->worker();

    for ($pair = 0; $pair < PAIRS; $pair++) {
        $stacks = array_map(static fn (Server $stack): WebStack => $stack instanceof WebStack ? $stack : throw new RuntimeException('nginx and PHP-FPM are needed: bin/services install nginx fpm'), [$rig->serve(WORKERS), $rig->serve(WORKERS)]);
        $load = static function (string $prefix, float $seconds, int $first) use ($stacks, $pair): array {
            $turns = new InTurn([
                new PageViews($stacks[$first]->url().'/events/'.ENDPOINTS[0], "{$pair}-{$prefix}-".ENDPOINTS[0].'-'),
                new PageViews($stacks[1 - $first]->url().'/events/'.ENDPOINTS[1], "{$pair}-{$prefix}-".ENDPOINTS[1].'-'),
            ]);
            $result = (new Generator)->run(Plan::duration($seconds, CONNECTIONS, timeout: 30.0), $turns);

            return [$result->finished(), $result->finished() - $result->count(Outcome::Succeeded)];
        };

        // Opcache takes no file that is younger than two seconds.
        $load('warm', 3.0, 0);
        // Once spool:work has the process for heartbeats, too.
        sleep($pair === 0 ? 10 : 1);
        $load('warm again', 2.0, 1);
        $load('warm once more', 2.0, 0);

        // It has a process for each bucket in use and one for heartbeats: docs/adr/0008.
        $workers = [(int) $worker->getPid(), ...array_keys((new Proc)->descendants((int) $worker->getPid()))];

        for ($round = 0; $round < ROUNDS; $round++) {
            $first = $round % 2;
            $cpu = [
                'none' => new CpuOf($ofStack($stacks[$first])),
                'buffered' => new CpuOf($ofStack($stacks[1 - $first])),
                'spool:work' => new CpuOf($workers),
                'database' => new CpuOf([$databasePid]),
            ];
            $before = array_map(static fn (CpuOf $of): int => $of->micros(), $cpu);
            [$finished, $failed] = $load("{$round}", SECONDS, $first);
            // What was buffered in the last second is delivered, too.
            usleep(2_500_000);
            $used = array_map(static fn (CpuOf $of, int $then): int => $of->micros() - $then, $cpu, $before);
            $rows[] = [...array_combine(array_keys($cpu), $used), 'requests' => $finished / 2, 'pair' => $pair];
            $errors += $failed;
            fprintf(STDERR, "  pair %d of %d, round %d of %d, %d requests, none / all of buffered %.3f\n", $pair + 1, PAIRS, $round + 1, ROUNDS, $finished, $used[0] / ($used[1] + $used[2] + $used[3]));
        }

        array_map(static fn (WebStack $stack) => $stack->stop(), $stacks);
        $stacks = [];
    }
} finally {
    isset($worker) && $worker->stop(5);
    array_map(static fn (WebStack $stack) => $stack->stop(), $stacks);
    $rig->remove();
}

/** @param list<array<string, int|float>> $rows */
$of = static fn (string $part, array $rows): float => array_sum(array_column($rows, $part)) / array_sum(array_column($rows, 'requests'));
$ratio = static fn (array $rows): float => $of('none', $rows) / ($of('buffered', $rows) + $of('spool:work', $rows) + $of('database', $rows));
$ofPair = array_map(static fn (int $pair): float => $ratio(array_values(array_filter($rows, static fn (array $row): bool => $row['pair'] === $pair))), range(0, PAIRS - 1));
$all = $ratio($rows);
printf("%d requests to each. CPU of one: none %.0f us, buffered %.0f us, its delivery %.0f us (spool:work) and %.0f us (database)\nas many as of none: %.3f (pairs of stacks %.3f to %.3f)\n", array_sum(array_column($rows, 'requests')), $of('none', $rows), $of('buffered', $rows), $of('spool:work', $rows), $of('database', $rows), $all, min($ofPair), max($ofPair));
echo 'RESULT ', json_encode(['none_micros' => round($of('none', $rows)), 'buffered_micros' => round($of('buffered', $rows)), 'worker_micros' => round($of('spool:work', $rows)), 'database_micros' => round($of('database', $rows)), 'buffered_vs_none_by_cpu' => round($all, 4), 'of_each_pair' => array_map(static fn (float $one): float => round($one, 4), $ofPair), 'errors' => $errors], JSON_THROW_ON_ERROR), "\n";
