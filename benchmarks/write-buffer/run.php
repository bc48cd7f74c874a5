<?php

declare(strict_types=1);

/*
 * The write buffer's figures: `make bench-write-buffer`, or `QUICK=1 make bench-write-buffer` for a short form. PART
 * names the parts to run, of append, parallel, endpoints, contended, redis, flush, aggregate,
 * memory, scan, with commas between them; all when it is not set. PART=instructions and PART=request run only when
 * they are named.
 * Needs nginx, PHP-FPM and, from bin/services, MariaDB, PostgreSQL and Redis.
 */

use Headroom\Bench\Samples;
use Headroom\Benchmarks\Run;
use Headroom\Benchmarks\WriteBuffer\EmptiedStreams;
use Headroom\Benchmarks\WriteBuffer\Endpoints;
use Headroom\Benchmarks\WriteBuffer\FlushRatio;
use Headroom\Benchmarks\WriteBuffer\InsideFpm;
use Headroom\Benchmarks\WriteBuffer\Instructions;
use Headroom\Benchmarks\WriteBuffer\Memory;
use Headroom\Benchmarks\WriteBuffer\Parallel;
use Headroom\Benchmarks\WriteBuffer\RequestCpu;
use Headroom\Benchmarks\WriteBuffer\ScanSpeed;
use Headroom\Benchmarks\WriteBuffer\Site;
use Headroom\Benchmarks\WriteBuffer\Summaries;
use Headroom\Dev\DelayProxy;

require dirname(__DIR__, 2).'/vendor/autoload.php';

// The first counts instructions, which change only with the code. Neither needs a database server.
const NAMED_ONLY = ['instructions', 'request'];
const PARTS = ['append', 'parallel', 'endpoints', 'contended', 'redis', 'flush', 'aggregate', 'memory', 'scan'];
$run = Run::of('write-buffer', PARTS, NAMED_ONLY);
$isQuick = $run->isQuick;
$chosen = $run->chosen === [] ? PARTS : $run->chosen;
$needed = array_diff($chosen, NAMED_ONLY) === []
    ? []
    : ['MARIADB', 'PGSQL', ...(in_array('redis', $chosen, true) ? ['REDIS'] : [])];

foreach ($needed as $name) {
    if (in_array(getenv("HEADROOM_{$name}_HOST"), [false, ''], true) || (int) getenv("HEADROOM_{$name}_PORT") === 0) {
        Run::refuse(
            "HEADROOM_{$name}_HOST and _PORT are not set. Run: bin/services run ".strtolower(implode(' ', $needed))
                .' -- php benchmarks/write-buffer/run.php',
        );
    }
}

$log = Run::log(...);
$server = static fn (string $driver): array => [
    'host' => (string) getenv('HEADROOM_'.strtoupper($driver).'_HOST'),
    'port' => (int) getenv('HEADROOM_'.strtoupper($driver).'_PORT'),
];
$variables = static fn (string $driver, string $host, int $port): array => [
    'DB_CONNECTION' => $driver,
    'DB_HOST' => $host,
    'DB_PORT' => (string) $port,
    'DB_DATABASE' => (string) getenv('HEADROOM_'.strtoupper($driver).'_DATABASE'),
    'DB_USERNAME' => (string) getenv('HEADROOM_'.strtoupper($driver).'_USERNAME'),
    'DB_PASSWORD' => (string) getenv('HEADROOM_'.strtoupper($driver).'_PASSWORD'),
];
$databases = [
    'sqlite' => ['DB_CONNECTION' => 'sqlite'],
    'mariadb' => $variables('mariadb', ...$server('mariadb')),
    'pgsql' => $variables('pgsql', ...$server('pgsql')),
];
$direct = static fn (): PDO => new PDO(
    "mysql:host={$databases['mariadb']['DB_HOST']};port={$databases['mariadb']['DB_PORT']}"
        .";dbname={$databases['mariadb']['DB_DATABASE']}",
    $databases['mariadb']['DB_USERNAME'],
    $databases['mariadb']['DB_PASSWORD'],
);
// MariaDB behind a proxy that delays each round trip by some milliseconds, while $run runs.
$away = static function (float $milliseconds, callable $run) use ($server, $variables): array {
    ['host' => $host, 'port' => $port] = $server('mariadb');
    $proxy = DelayProxy::start($host, $port, $milliseconds);

    try {
        return $run($variables('mariadb', $proxy->host, $proxy->port));
    } finally {
        $proxy->stop();
    }
};

$endpoints = static function () use ($isQuick, $log, $databases, $direct, $away): array {
    [$rounds, $seconds] = $isQuick ? [3, 1.0] : [18, 1.0];
    $log("Endpoints, {$rounds} rounds of {$seconds} s each");
    $run = static fn (string $condition, array $database): array => (new Endpoints(
        new Site($database, 50),
        ['page-views'],
        $direct(),
        ['none' => '/events/none', 'sync' => '/events/sync', 'buffered' => '/events/buffered'],
        $rounds,
        $seconds,
        $log,
    ))->run($condition, Summaries::ofWrites(...));
    $a = $run('a: local', $databases['mariadb']);
    $b = $away(2.0, static fn (array $database): array => $run('b: 2 ms away', $database));

    return ['figures' => ['a' => $a, 'b' => $b], 'result' => [
        'buffered_vs_none_a' => $a['buffered_vs_none']['median'],
        'buffered_vs_none_b' => $b['buffered_vs_none']['median'],
        'buffered_vs_sync_a' => $a['buffered_vs_sync']['median'],
        'buffered_vs_sync_b' => $b['buffered_vs_sync']['median'],
        'buffered_p99_vs_none' => max($a['buffered_p99_vs_none']['median'], $b['buffered_p99_vs_none']['median']),
        'errors' => $a['errors'] + $b['errors'],
        'lost' => $a['lost'] + $b['lost'],
        'double' => $a['double'] + $b['double'],
    ]];
};

$contended = static function () use ($isQuick, $log, $direct, $away): array {
    $metered = ['sync' => '/events/metered-sync', 'buffered' => '/events/metered-buffered'];
    [$rounds, $seconds] = $isQuick ? [2, 2.0] : [7, 6.0];
    $log("An event and a shared count, {$rounds} rounds of {$seconds} s each");
    $run = static fn (
        string $name,
        float $milliseconds,
        array $sides,
        int $workers,
        float $pause = 0.0,
    ): array => $away($milliseconds, static fn (array $database): array => [
        'workers' => $workers,
        'pause_ms' => $pause * 1000,
        ...(new Endpoints(new Site($database, $workers), [], $direct(), $sides, $rounds, $seconds, $log, $pause))->run(
            $name,
            static fn (Endpoints $endpoints): array
                => Summaries::ofContention($endpoints, array_keys(array_intersect($sides, $metered))),
        ),
    ]);
    $figures = [
        'c' => $run('c', 10.0, ['none' => '/events/none', ...$metered], 50),
        'c_2ms' => $run('c2', 2.0, $metered, 50),
        'paced' => $run('paced', 10.0, ['none' => '/events/none', ...$metered], 50, 0.114),
        'few_workers' => $run('few', 10.0, ['sync' => '/events/sync', 'buffered' => '/events/buffered'], 10),
    ];
    $sum = static fn (string $key): int => array_sum(array_column($figures, $key));

    return ['figures' => $figures, 'result' => [
        'buffered_vs_sync_c' => $figures['c']['buffered_vs_sync']['median'],
        'buffered_vs_none_c' => $figures['c']['buffered_vs_none']['median'],
        'none_vs_sync_c' => $figures['c']['none_vs_sync']['median'],
        'buffered_vs_sync_c_2ms' => $figures['c_2ms']['buffered_vs_sync']['median'],
        'paced_p50_ratio' => $figures['paced']['p50_ratio']['median'],
        'paced_p95_ratio' => $figures['paced']['p95_ratio']['median'],
        'paced_none_p50_ratio' => $figures['paced']['none_p50_ratio']['median'],
        'paced_none_p95_ratio' => $figures['paced']['none_p95_ratio']['median'],
        'buffered_vs_sync_few_workers' => $figures['few_workers']['buffered_vs_sync']['median'],
        'errors' => $sum('errors'),
        'lost' => $sum('lost'),
        'double' => $sum('double'),
    ]];
};

$aggregate = static function () use ($isQuick, $log, $databases): array {
    $log('Counting: mode aggregate against a statement for each event');
    $figures = (new FlushRatio($isQuick ? 100_000 : 1_000_000, $isQuick ? 2 : 3, $log))->ofCounts($databases);

    return ['figures' => $figures, 'result' => [
        'aggregate_ratio' => $figures['mariadb']['ratio']['median'],
        'aggregate_ratio_pgsql' => $figures['pgsql']['ratio']['median'],
        'aggregate_ratio_sqlite' => $figures['sqlite']['ratio']['median'],
    ]];
};

$parallel = static function () use ($isQuick, $log): array {
    $log('Eight processes at once');
    $runs = ['ours' => [], 'naive' => []];
    $eight = new Parallel($isQuick ? 20_000 : 50_000);

    for ($round = 0; $round < ($isQuick ? 3 : 9); $round++) {
        foreach (array_keys($runs) as $kind) {
            $runs[$kind][] = $eight->run($kind);
        }
    }

    $perSecond = static fn (string $kind): array => array_column($runs[$kind], 'per_second');

    return [
        'figures' => array_map(
            static fn (array $runs): array => [
                'per_second' => (new Samples(array_column($runs, 'per_second')))->toArray(),
                'lost' => array_sum(array_column($runs, 'lost')),
                'double' => array_sum(array_column($runs, 'double')),
                'events' => array_sum(array_column($runs, 'events')),
            ],
            $runs,
        ),
        'result' => [
            'parallel_ratio' => round(
                (new Samples(array_map(
                    static fn (float $x, float $y): float => $x / $y,
                    $perSecond('ours'),
                    $perSecond('naive'),
                )))->median(),
                3,
            ),
            'parallel_lost' => array_sum(array_column($runs['ours'], 'lost')),
            'naive_lost' => array_sum(array_column($runs['naive'], 'lost')),
        ],
    ];
};

$append = static function () use ($isQuick, $log): array {
    $log('One append, inside an FPM worker');
    $inside = (new InsideFpm($isQuick ? 40 : 400))->run();
    $nanos = $inside['append']['nanos'];

    return ['figures' => $inside, 'result' => [
        'append_time_ratio_p50' => round($nanos['opened']['p50'] / $nanos['naive']['p50'], 3),
        'append_time_ratio_p99' => round($nanos['opened']['p99'] / $nanos['naive']['p99'], 3),
        'append_kept_time_ratio' => round($nanos['kept']['p50'] / $nanos['naive']['p50'], 3),
        'facade_time_ratio' => round($inside['facade']['facade']['p50'] / $inside['facade']['bare']['p50'], 3),
    ]];
};

$flush = static function () use ($isQuick, $log, $databases): array {
    $log('A flush against hand-written inserts');
    $figures = (new FlushRatio($isQuick ? 20_000 : 100_000, $isQuick ? 3 : 15, $log))->ofInserts($databases);
    $result = [];

    foreach ($figures as $driver => $row) {
        $result["flush_ratio_{$driver}"] = $row['ratio']['median'];
    }

    return ['figures' => $figures, 'result' => $result];
};

$memory = static function () use ($isQuick, $log, $databases): array {
    $log('Memory of a flush and of a status');
    $counts = $isQuick ? [20_000, 100_000] : [100_000, 1_000_000];
    $figures = (new Memory($counts, $log))->run($databases);

    return [
        'figures' => $figures,
        'result' => ['flush_peak_mb' => max(array_map(
            static fn (array $rows): float => $rows[$counts[1]]['flush']['php_mb'],
            $figures,
        ))],
    ];
};

$scan = static function () use ($isQuick, $log): array {
    $log('Scanning segments');
    $figures = (new ScanSpeed([64, 128, 256], $isQuick ? 1 : 7))->run();

    return ['figures' => $figures, 'result' => ['scan_mb_per_s' => round($figures['whole'][256]['median'], 1)]];
};

$redis = static function () use ($isQuick, $log, $server, $databases, $direct): array {
    // Many rounds, because the speed varies from second to second more than the sides differ.
    [$rounds, $seconds] = $isQuick ? [3, 1.0] : [24, 2.0];
    $log("Endpoints that write to Redis, three times {$rounds} rounds of {$seconds} s each");
    $variables = [
        ...$databases['mariadb'],
        'REDIS_HOST' => $server('redis')['host'],
        'REDIS_PORT' => (string) $server('redis')['port'],
        'REDIS_CLIENT' => 'phpredis',
    ];
    // A Redis database for each: each run migrates again, and the buffer refuses a stream that outlives its ledger.
    $run = static function (EmptiedStreams $emptied) use ($log, $variables, $direct, $rounds, $seconds): array {
        $log("  {$emptied->value}");
        $database = (string) array_search($emptied, EmptiedStreams::cases(), true);

        return (new Endpoints(
            new Site([...$variables, 'REDIS_DB' => $database], 50, $emptied->commands()),
            ['page-views-redis'],
            $direct(),
            ['xadd' => '/events/xadd', 'buffered-redis' => '/events/buffered-redis'],
            $rounds,
            $seconds,
            $log,
        ))->run('redis', Summaries::ofRedis(...));
    };
    $figures = [
        'neither' => $run(EmptiedStreams::Neither),
        'both' => $run(EmptiedStreams::Both),
        'ours' => $run(EmptiedStreams::Ours),
    ];
    $sum = static fn (string $key): int => array_sum(array_column($figures, $key));

    return ['figures' => $figures, 'result' => [
        'redis_vs_xadd' => $figures['both']['redis_vs_xadd']['median'],
        'redis_vs_xadd_neither_emptied' => $figures['neither']['redis_vs_xadd']['median'],
        'redis_vs_xadd_unread' => $figures['ours']['redis_vs_xadd']['median'],
        'redis_p99_vs_xadd' => $figures['both']['redis_p99_vs_xadd']['median'],
        'redis_errors' => $sum('errors'),
        'redis_lost' => $sum('lost'),
        'redis_double' => $sum('double'),
    ]];
};

$instructions = static function () use ($isQuick, $log): array {
    $log('Instructions for one event, counted by callgrind');
    $figures = (new Instructions($isQuick ? 1 : 2, $log))->run();
    $result = [];

    foreach ($figures as $name => $figure) {
        $result["{$name}_instructions"] = $figure['instructions'];
    }

    return ['figures' => $figures, 'result' => $result];
};

$request = static function () use ($isQuick, $log): array {
    $log('CPU time of a request with an event, and of one without');
    $figures = (new RequestCpu($isQuick ? 6 : 30, 500, $log))->run();

    return ['figures' => $figures, 'result' => ['request_event_cpu_ms' => $figures['added']['median']]];
};

$run->measure([
    'append' => $append,
    'parallel' => $parallel,
    'endpoints' => $endpoints,
    'contended' => $contended,
    'redis' => $redis,
    'flush' => $flush,
    'aggregate' => $aggregate,
    'memory' => $memory,
    'scan' => $scan,
    'instructions' => $instructions,
    'request' => $request,
]);
