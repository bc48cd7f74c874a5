<?php

declare(strict_types=1);

/*
 * How fast `headroom load` sends, against wrk and, where it is installed, hey; and how far its percentiles are from
 * the truth: make bench-load
 *
 * One nginx with one worker answers with two bytes; the programs take turns at it, with few connections and with many.
 * wrk is C on one event loop per thread, hey is Go on all cores.
 */

use Headroom\Bench\Samples;
use Headroom\Benchmarks\Load\Clients;
use Headroom\Benchmarks\Load\Percentiles;
use Headroom\Benchmarks\Load\TrivialServer;
use Headroom\Benchmarks\Run;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const SEED = 20_260_314;
const CONNECTIONS = [10, 100];

$run = Run::of('load');
[$rounds, $seconds, $perSecond, $percentileSeconds] = $run->isQuick ? [3, 1, 250, 4] : [7, 5, 500, 10];
$rates = [];
$target = TrivialServer::start();

try {
    for ($round = 1; $round <= $rounds; $round++) {
        foreach (CONNECTIONS as $connections) {
            foreach ((new Clients($target->url, $connections, $seconds))->all() as $name => $client) {
                Run::log("round {$round}: {$name}, {$connections} connections");
                $rates[$connections][$name][] = $client();
            }
        }
    }
} finally {
    $target->stop();
}

Run::log('percentiles');
$percentiles = [];

foreach (range(SEED, SEED + 4) as $seed) {
    $percentiles[$seed] = (new Percentiles($seed, $perSecond, $percentileSeconds))->measure();
}

$worst = static fn (array $rows, string $of): float => max(array_map(abs(...), array_column($rows, $of)));
// A busy machine makes one run late; wrong figures are wrong in most runs.
$bySeed = array_map(static fn (array $rows): float => $worst($rows, 'error'), $percentiles);
$all = array_merge(...array_map(array_values(...), $percentiles));
$samples = array_map(
    static fn (array $clients): array
        => array_map(static fn (array $of): array => (new Samples($of))->toArray(), $clients),
    $rates,
);
$ratios = [];

foreach ($rates as $connections => $clients) {
    foreach ([['load_1', 'hey'], ['load_1', 'wrk_1'], ['load_2', 'hey'], ['load_2', 'wrk_2'], ['load_2', 'load_1']] as [
        $ours, $theirs,
    ]) {
        // Ratios within a round, and their spread.
        isset($clients[$theirs])
            && $ratios["{$ours}_vs_{$theirs}_at_{$connections}"] = (new Samples(array_map(
                static fn (float $a, float $b): float => $a / $b,
                $clients[$ours],
                $clients[$theirs],
            )))->toArray();
    }
}

$medians = array_map(static fn (array $of): float => round($of['median'], 3), $ratios);
$againstHey = array_filter(
    $medians,
    static fn (string $name): bool => str_starts_with($name, 'load_1_vs_hey_'),
    ARRAY_FILTER_USE_KEY,
);
$result = [
    'requests_per_second' => array_map(
        static fn (array $clients): array
            => array_map(static fn (array $of): float => round($of['median'], 0), $clients),
        $samples,
    ),
    // The lower one, of few connections and many.
    'load_1_vs_hey' => $againstHey === [] ? null : min($againstHey),
    ...$medians,
    'percentile_error' => (new Samples(array_values($bySeed)))->toArray()['median'],
    'percentile_error_worst' => max($bySeed),
    'percentile_error_of_histogram' => $worst($all, 'of_histogram'),
    'percentile_error_of_way' => $worst($all, 'of_way'),
    'percentile_errors_by_seed' => $bySeed,
];

$compared = $rates[CONNECTIONS[0]];
isset($compared['hey']) || Run::log('hey is not installed, so it is left out. Run: apt-get install hey');
isset($compared['wrk_1']) || Run::log('wrk is not installed, so it is left out. Run: apt-get install wrk');
$run->save([
    'connections' => CONNECTIONS,
    'seconds' => $seconds,
    'rates' => $samples,
    'ratios' => $ratios,
    'percentiles' => $percentiles,
    'seed' => SEED,
], $result);
