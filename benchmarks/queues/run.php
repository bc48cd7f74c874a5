<?php

declare(strict_types=1);

/*
 * Queue drivers compared: `make bench-queues`, or `QUICK=1 make bench-queues` for a short form. PART names the parts to
 * run, with commas between them: the scenarios of headroom:bench:queues, and by-hand. Needs MariaDB, PostgreSQL,
 * Redis and beanstalkd.
 */

use Headroom\Bench\Queues\BenchOptions;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Benchmarks\Queues\Artisan;
use Headroom\Benchmarks\Queues\ByHand;
use Headroom\Benchmarks\Queues\ResultLine;
use Headroom\Benchmarks\Run;
use Headroom\Core\SystemClock;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const BY_HAND = 'by-hand';
/** The median of ten leaves the quartiles by chance for one driver in four. */
const BY_HAND_ROUNDS = 40;
/** Two are enough: one keeps jobs on disk, one in memory. */
const CACHE_DRIVERS = 'redis,database:mariadb';
$parts = [...array_map(static fn (Scenario $scenario): string => $scenario->value, Scenario::cases()), BY_HAND];
$run = Run::of('queues', $parts);
$isQuick = $run->isQuick;
// A quick run has the published question and two short ones.
$default = $isQuick ? [Scenario::Empty->value, Scenario::Slow->value, Scenario::Arrivals->value] : $parts;
$full = new BenchOptions;
$given = $isQuick ? new BenchOptions(1_000, 2, $full->workers, 3, 50_000) : $full;
// The other scenarios have shorter runs.
$others = $isQuick ? $given : new BenchOptions(2_000, 5, $full->workers, $full->runs, $full->deep);
$clock = new SystemClock;
$artisan = new Artisan;
$options = static fn (BenchOptions $given): array => [
    "--jobs={$given->jobs}",
    '--seconds='.(int) $given->seconds,
    "--workers={$given->workers}",
    "--runs={$given->runs}",
    "--deep={$given->deep}",
];

$measure = static function (Scenario $scenario) use ($artisan, $options, $full, $given, $others, $isQuick): array {
    $with = match (true) {
        $scenario === Scenario::Deep => $isQuick ? $given : $full,
        $scenario === Scenario::Empty => $given,
        default => $others,
    };
    $document = $artisan->json(
        'headroom:bench:queues',
        '--with-servers',
        "--scenario={$scenario->value}",
        ...$options($with),
        ...($scenario === Scenario::Cache ? ['--drivers='.CACHE_DRIVERS] : []),
    );
    $findings = $document['scenarios'][$scenario->value];

    return [
        'figures' => ['given' => $with->toArray(), 'findings' => $findings],
        'result' => ResultLine::of($scenario, $findings),
        'machine' => array_intersect_key($document['machine'], ['laravel' => 0, 'cache_store' => 0]),
    ];
};
$byHand = static function () use ($full, $isQuick, $clock): array {
    $rows = (new ByHand($full->workers, $isQuick ? 2 : BY_HAND_ROUNDS, $isQuick ? 2 : 4, $clock))->run();
    $count = static fn (string $key): int => count(array_filter($rows, static fn (array $row): bool => $row[$key]));

    return [
        'figures' => ['given' => $full->toArray(), 'rows' => $rows],
        'result' => [
            'by_hand_differences' => $count('difference_seen'),
            'by_hand_within_iqr' => $count('within_iqr'),
        ],
    ];
};
$all = [BY_HAND => $byHand];

foreach (Scenario::cases() as $scenario) {
    $all[$scenario->value] = static fn (): array => $measure($scenario);
}

try {
    $run->measure($all, $default);
} finally {
    $artisan->remove();
}
