<?php

declare(strict_types=1);

/*
 * How fast `headroom load` sends, against wrk and, where it is installed, hey; and how far its percentiles are from
 * the truth: make bench-load
 *
 * One nginx with one worker answers with two bytes; the programs take turns at it, with few connections and with many.
 * wrk is C on one event loop per thread, hey is Go on all cores.
 */

use Headroom\Bench\Machine;
use Headroom\Bench\Samples;
use Headroom\Benchmarks\Load\Clients;
use Headroom\Benchmarks\Load\Percentiles;
use Headroom\Benchmarks\Load\Trivial;
use Headroom\Benchmarks\Signals;
use Headroom\Core\SystemClock;
use Symfony\Component\Process\Process;

require dirname(__DIR__, 2).'/vendor/autoload.php';

Signals::endTidily();

const SEED = 20_260_314;
const CONNECTIONS = [10, 100];

$isQuick = ! in_array(getenv('QUICK'), [false, '', '0'], true);
[$rounds, $seconds, $perSecond, $percentileSeconds] = $isQuick ? [3, 1, 250, 4] : [7, 5, 500, 10];
$rates = [];
$target = Trivial::start();

try {
    for ($round = 1; $round <= $rounds; $round++) {
        foreach (CONNECTIONS as $connections) {
            foreach ((new Clients($target->url, $connections, $seconds))->all() as $name => $run) {
                fwrite(STDERR, "round {$round}: {$name}, {$connections} connections\n");
                $rates[$connections][$name][] = $run();
            }
        }
    }
} finally {
    $target->stop();
}

fwrite(STDERR, "percentiles\n");
$percentiles = [];

foreach (range(SEED, SEED + 4) as $seed) {
    $percentiles[$seed] = (new Percentiles($seed, $perSecond, $percentileSeconds))->measure();
}

$worst = static fn (array $rows, string $of): float => max(array_map(abs(...), array_column($rows, $of)));
// A machine that looks away in one run has made that one late; figures that are wrong are wrong in most.
$bySeed = array_map(static fn (array $rows): float => $worst($rows, 'error'), $percentiles);
$all = array_merge(...array_map(array_values(...), $percentiles));
$git = new Process(['git', '-C', __DIR__, 'describe', '--always', '--dirty']);
$git->run();
$machine = Machine::describe(trim($git->getOutput()), new SystemClock);
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
        // Of the same round, and how far they spread.
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
    // With few connections or with many, wherever it is less.
    'load_1_vs_hey' => $againstHey === [] ? null : min($againstHey),
    ...$medians,
    'percentile_error' => (new Samples(array_values($bySeed)))->toArray()['median'],
    'percentile_error_worst' => max($bySeed),
    'percentile_error_of_histogram' => $worst($all, 'of_histogram'),
    'percentile_error_of_way' => $worst($all, 'of_way'),
    'percentile_errors_by_seed' => $bySeed,
];

echo "\n{$machine['cpu']}, {$machine['cores']} cores, {$machine['kernel']}, PHP {$machine['php']}; {$seconds} s,"
    ." {$rounds} rounds, one nginx worker on the same machine\n\n";
printf("  %-28s %12s %12s %12s\n", 'requests/s', 'median', 'min', 'max');

foreach ($samples as $connections => $clients) {
    foreach ($clients as $name => $of) {
        printf(
            "  %-28s %12s %12s %12s\n",
            "{$name}, {$connections} connections",
            number_format($of['median']),
            number_format($of['min']),
            number_format($of['max']),
        );
    }
}

printf("\n  %-28s %12s %12s %12s\n", 'ratio, by round', 'median', 'min', 'max');

foreach ($ratios as $name => $of) {
    printf("  %-28s %12.2f %12.2f %12.2f\n", $name, $of['median'], $of['min'], $of['max']);
}

printf(
    "\n  %-20s %11s %11s %11s %9s %9s %9s\n",
    'percentile',
    'made ms',
    'taken ms',
    'told ms',
    'histogram',
    'way',
    'both',
);

foreach ($percentiles as $seed => $rows) {
    foreach ($rows as $percentile => $row) {
        printf(
            "  %-20s %11.3f %11.3f %11.3f %8.3f%% %8.3f%% %8.3f%%\n",
            "{$seed}, {$percentile}",
            $row['made_us'] / 1e3,
            $row['taken_us'] / 1e3,
            $row['told_us'] / 1e3,
            100 * $row['of_histogram'],
            100 * $row['of_way'],
            100 * $row['error'],
        );
    }
}

$compared = $rates[CONNECTIONS[0]];
isset($compared['hey']) || print "\n  hey is not installed and was not compared with: apt-get install hey\n";
isset($compared['wrk_1']) || print "\n  wrk is not installed and was not compared with: apt-get install wrk\n";
$folder = dirname(__DIR__).'/results';
is_dir($folder) || mkdir($folder);
file_put_contents(
    $folder.($isQuick ? '/load-quick.json' : '/load.json'),
    json_encode(
        [
            'experiment' => 'load',
            'quick' => $isQuick,
            'machine' => $machine,
            'connections' => CONNECTIONS,
            'seconds' => $seconds,
            'rates' => $samples,
            'ratios' => $ratios,
            'percentiles' => $percentiles,
            'seed' => SEED,
            'result' => $result,
        ],
        JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR,
    )
        ."\n",
);
echo "\nRESULT ", json_encode(['load' => $result], JSON_THROW_ON_ERROR), "\n";
