<?php

declare(strict_types=1);

/*
 * How fast `headroom load` sends, against wrk and, where it is installed, hey; and how far its percentiles are from the truth: make bench-load
 *
 * One nginx with one worker answers with two bytes; the programs take turns at it. wrk is C on one event loop per thread, hey is Go.
 */

use Headroom\Bench\Machine;
use Headroom\Bench\Samples;
use Headroom\Benchmarks\Load\Clients;
use Headroom\Benchmarks\Load\Percentiles;
use Headroom\Benchmarks\Load\Trivial;
use Headroom\Core\SystemClock;
use Symfony\Component\Process\Process;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const SEED = 20_260_314;
const CONNECTIONS = 50;

$isQuick = ! in_array(getenv('QUICK'), [false, '', '0'], true);
[$rounds, $seconds, $perSecond] = $isQuick ? [3, 2, 250] : [7, 5, 500];
$rates = [];
$target = Trivial::start();

try {
    $clients = (new Clients($target->url, CONNECTIONS, $seconds))->all();

    for ($round = 1; $round <= $rounds; $round++) {
        foreach ($clients as $name => $run) {
            fwrite(STDERR, "round {$round}: {$name}\n");
            $rates[$name][] = $run();
        }
    }
} finally {
    $target->stop();
}

fwrite(STDERR, "percentiles\n");
// A busy machine may look away in one run; figures that are wrong are wrong in each.
$attempts = array_map(static fn (int $attempt): array => (new Percentiles(SEED + $attempt, $perSecond, $seconds))->measure(), range(1, 3));
$errors = array_map(static fn (array $rows): float => max(array_map(abs(...), array_column($rows, 'error'))), $attempts);
$ofMade = array_map(static fn (array $rows): float => max(array_map(abs(...), array_column($rows, 'error_of_made'))), $attempts);
$best = $attempts[array_search(min($errors), $errors, true)];

$git = new Process(['git', '-C', __DIR__, 'describe', '--always', '--dirty']);
$git->run();
$machine = Machine::describe(trim($git->getOutput()), new SystemClock);
$samples = array_map(static fn (array $of): array => (new Samples($of))->toArray(), $rates);
/** @return ?array<string, float> ratios of the same round, and how far they spread */
$against = static fn (string $ours, string $theirs): ?array => isset($rates[$theirs])
    ? (new Samples(array_map(static fn (float $a, float $b): float => $a / $b, $rates[$ours], $rates[$theirs])))->toArray()
    : null;
$ratios = array_filter([
    'load_1_vs_wrk_1' => $against('load_1', 'wrk_1'),
    'load_2_vs_wrk_2' => $against('load_2', 'wrk_2'),
    'load_2_vs_load_1' => $against('load_2', 'load_1'),
    'load_1_vs_hey' => $against('load_1', 'hey'),
    'load_2_vs_hey' => $against('load_2', 'hey'),
]);
$result = [
    'requests_per_second' => array_map(static fn (array $of): float => round($of['median'], 0), $samples),
    ...array_map(static fn (array $of): float => round($of['median'], 3), $ratios),
    'percentile_error' => min($errors),
    'percentile_errors' => $errors,
    'percentile_errors_of_made' => $ofMade,
];

echo "\n{$machine['cpu']}, {$machine['cores']} cores, {$machine['kernel']}, PHP {$machine['php']}; ".CONNECTIONS." connections, {$seconds} s, {$rounds} rounds, one nginx worker on the same machine\n\n";
printf("  %-18s %12s %12s %12s\n", 'requests/s', 'median', 'min', 'max');

foreach ($samples as $name => $of) {
    printf("  %-18s %12s %12s %12s\n", $name, number_format($of['median']), number_format($of['min']), number_format($of['max']));
}

printf("\n  %-18s %12s %12s %12s\n", 'ratio, by round', 'median', 'min', 'max');

foreach ($ratios as $name => $of) {
    printf("  %-18s %12.2f %12.2f %12.2f\n", $name, $of['median'], $of['min'], $of['max']);
}

printf("\n  %-18s %12s %12s %12s %12s %12s\n", 'percentile', 'drawn ms', 'made ms', 'measured ms', 'of drawn', 'of made');

foreach ($best as $percentile => $row) {
    printf("  %-18s %12.3f %12.3f %12.3f %11.2f%% %11.2f%%\n", $percentile, $row['drawn_us'] / 1e3, $row['made_us'] / 1e3, $row['measured_us'] / 1e3, 100 * $row['error'], 100 * $row['error_of_made']);
}

isset($rates['hey']) || print "\n  hey is not installed and was not compared with.\n";
isset($rates['wrk_1']) || print "\n  wrk is not installed and was not compared with: apt-get install wrk\n";
$folder = dirname(__DIR__).'/results';
is_dir($folder) || mkdir($folder);
file_put_contents($folder.($isQuick ? '/load-quick.json' : '/load.json'), json_encode(['experiment' => 'load', 'quick' => $isQuick, 'machine' => $machine, 'connections' => CONNECTIONS, 'seconds' => $seconds, 'rates' => $samples, 'ratios' => $ratios, 'percentiles' => $attempts, 'seed' => SEED, 'result' => $result], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR)."\n");
echo "\nRESULT ", json_encode(['load' => $result], JSON_THROW_ON_ERROR), "\n";
