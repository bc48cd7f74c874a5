<?php

declare(strict_types=1);

/*
 * The write buffer's figures: `make bench-write-buffer`, or `QUICK=1 make bench-write-buffer` for about a minute.
 * Needs nginx, PHP-FPM and, from bin/services, MariaDB.
 */

use Headroom\Bench\Machine;
use Headroom\Bench\Samples;
use Headroom\Benchmarks\WriteBuffer\Endpoints;
use Headroom\Benchmarks\WriteBuffer\Inside;
use Headroom\Benchmarks\WriteBuffer\Parallel;
use Headroom\Benchmarks\WriteBuffer\Printout;
use Headroom\Core\SystemClock;
use Headroom\Host\DelayProxy;
use Symfony\Component\Process\Process;

require dirname(__DIR__, 2).'/vendor/autoload.php';

$isQuick = ! in_array(getenv('QUICK'), [false, '', '0'], true);
$server = ['host' => getenv('HEADROOM_MARIADB_HOST'), 'port' => (int) getenv('HEADROOM_MARIADB_PORT')];

if ($server['host'] === false || $server['port'] === 0) {
    fwrite(STDERR, "HEADROOM_MARIADB_HOST and _PORT are not set. Run: bin/services run mariadb -- php benchmarks/write-buffer/run.php\n");
    exit(2);
}

$say = static function (string $line): void {
    fwrite(STDERR, $line."\n");
};
$variables = static fn (string $host, int $port): array => ['DB_CONNECTION' => 'mariadb', 'DB_HOST' => $host, 'DB_PORT' => (string) $port, 'DB_DATABASE' => (string) getenv('HEADROOM_MARIADB_DATABASE'), 'DB_USERNAME' => (string) getenv('HEADROOM_MARIADB_USERNAME'), 'DB_PASSWORD' => (string) getenv('HEADROOM_MARIADB_PASSWORD')];
$direct = new PDO("mysql:host={$server['host']};port={$server['port']};dbname=".getenv('HEADROOM_MARIADB_DATABASE'), (string) getenv('HEADROOM_MARIADB_USERNAME'), (string) getenv('HEADROOM_MARIADB_PASSWORD'));

$say('One append, inside an FPM worker');
$inside = (new Inside($isQuick ? 40 : 400))->run();

$say('Eight processes at once');
$parallel = ['ours' => [], 'naive' => []];
$eight = new Parallel($isQuick ? 20_000 : 50_000);

for ($round = 0; $round < ($isQuick ? 3 : 9); $round++) {
    foreach (array_keys($parallel) as $kind) {
        $parallel[$kind][] = $eight->run($kind);
    }
}

[$rounds, $seconds] = $isQuick ? [3, 1.0] : [18, 1.0];
$say("Endpoints, {$rounds} rounds of {$seconds} s each");
$a = (new Endpoints($variables($server['host'], $server['port']), $direct, $rounds, $seconds, $say))->run('a: local');
$proxy = DelayProxy::start($server['host'], $server['port'], 2.0);

try {
    $b = (new Endpoints($variables($proxy->host, $proxy->port), $direct, $rounds, $seconds, $say))->run('b: 2 ms away');
} finally {
    $proxy->stop();
}

$git = new Process(['git', '-C', __DIR__, 'describe', '--always', '--dirty']);
$git->run();
$nanos = $inside['append']['nanos'];
$perSecond = static fn (string $kind): array => array_column($parallel[$kind], 'per_second');
$result = [
    'append_time_ratio_p50' => round($nanos['opened']['p50'] / $nanos['naive']['p50'], 3),
    'append_time_ratio_p99' => round($nanos['opened']['p99'] / $nanos['naive']['p99'], 3),
    'append_kept_time_ratio' => round($nanos['kept']['p50'] / $nanos['naive']['p50'], 3),
    'parallel_ratio' => round((new Samples(array_map(static fn (float $x, float $y): float => $x / $y, $perSecond('ours'), $perSecond('naive'))))->median(), 3),
    'parallel_lost' => array_sum(array_column($parallel['ours'], 'lost')),
    'naive_lost' => array_sum(array_column($parallel['naive'], 'lost')),
    'facade_time_ratio' => round($inside['facade']['facade']['p50'] / $inside['facade']['bare']['p50'], 3),
    'buffered_vs_none_a' => $a['buffered_vs_none']['median'],
    'buffered_vs_none_b' => $b['buffered_vs_none']['median'],
    'buffered_vs_sync_a' => $a['buffered_vs_sync']['median'],
    'buffered_vs_sync_b' => $b['buffered_vs_sync']['median'],
    'buffered_p99_vs_none' => max($a['buffered_p99_vs_none']['median'], $b['buffered_p99_vs_none']['median']),
    'errors' => $a['errors'] + $b['errors'],
    'lost' => $a['lost'] + $b['lost'],
    'double' => $a['double'] + $b['double'],
];

$report = [
    'experiment' => 'write-buffer',
    'quick' => $isQuick,
    'machine' => Machine::describe(trim($git->getOutput()), new SystemClock),
    'inside' => $inside,
    'parallel' => array_map(static fn (array $runs): array => ['per_second' => (new Samples(array_column($runs, 'per_second')))->toArray(), 'lost' => array_sum(array_column($runs, 'lost')), 'double' => array_sum(array_column($runs, 'double')), 'events' => array_sum(array_column($runs, 'events'))], $parallel),
    'endpoints' => ['a' => $a, 'b' => $b],
    'result' => $result,
];

$folder = dirname(__DIR__).'/results';
is_dir($folder) || mkdir($folder);
file_put_contents($folder.($isQuick ? '/write-buffer-quick.json' : '/write-buffer.json'), json_encode($report, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR)."\n");

(new Printout)->print($report);
echo 'RESULT ', json_encode($result, JSON_THROW_ON_ERROR), "\n";
