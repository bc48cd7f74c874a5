<?php

declare(strict_types=1);

/*
 * The collector's figures: `make bench-collector`, or `QUICK=1 make bench-collector` for a short form. PART names the parts
 * to run, with commas between them; all when it is not set. Needs nginx, PHP-FPM and wrk, and for drain, kill, down
 * and figures an OpenSearch or Elasticsearch (HEADROOM_OPENSEARCH_URL), which `bin/services run opensearch` gives.
 */

use Headroom\Bench\Machine;
use Headroom\Benchmarks\Collector\DeadIndex;
use Headroom\Benchmarks\Collector\Drain;
use Headroom\Benchmarks\Collector\Durable;
use Headroom\Benchmarks\Collector\Growing;
use Headroom\Benchmarks\Collector\HelloWorld;
use Headroom\Benchmarks\Collector\Index;
use Headroom\Benchmarks\Collector\Kills;
use Headroom\Benchmarks\Collector\LaneAgainstLaravel;
use Headroom\Benchmarks\Collector\ManyConnections;
use Headroom\Benchmarks\Collector\Printout;
use Headroom\Benchmarks\Collector\Reloads;
use Headroom\Benchmarks\Collector\Report\Page;
use Headroom\Benchmarks\Collector\SlowThirdParty;
use Headroom\Benchmarks\Results;
use Headroom\Core\SystemClock;
use Symfony\Component\Process\Process;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const PARTS = ['hello', 'slow', 'durable', 'drain', 'down', 'reload', 'kill', 'connections', 'lane', 'figures'];
const INDEXED = ['drain', 'down', 'kill', 'figures'];
$isQuick = ! in_array(getenv('QUICK'), [false, '', '0'], true);
$chosen = array_values(array_filter(array_map(trim(...), explode(',', (string) getenv('PART'))), static fn (string $part): bool => $part !== ''));

if (($unknown = array_diff($chosen, PARTS)) !== []) {
    fwrite(STDERR, 'PART has '.implode(', ', $unknown).'. Parts are '.implode(', ', PARTS).".\n");
    exit(2);
}

$url = (string) getenv('HEADROOM_OPENSEARCH_URL');

if ($url === '' && array_intersect($chosen, INDEXED) !== []) {
    fwrite(STDERR, implode(', ', array_intersect($chosen, INDEXED))." need an index. Run: bin/services run opensearch -- php benchmarks/collector/run.php\n");
    exit(2);
}

$chosen = $chosen !== [] ? $chosen : array_values($url === '' ? array_diff(PARTS, INDEXED) : PARTS);
$say = static function (string $line): void {
    fwrite(STDERR, $line."\n");
};
[$rounds, $seconds] = $isQuick ? [3, 2.0] : [9, 4.0];

$parts = [
    'hello' => static function () use ($rounds, $seconds, $say): array {
        $figures = (new HelloWorld($rounds, $seconds, $say))->run();

        return ['figures' => $figures, 'result' => [
            'hello_vs_fpm_100' => $figures[100]['collector_vs_fpm']['median'],
            'hello_vs_fpm_850' => $figures[850]['collector_vs_fpm']['median'],
            'hello_vs_fpm_1000' => $figures[1000]['collector_vs_fpm']['median'],
            'hello_p99_ms_1000' => $figures[1000]['sides']['collector']['p99_ms']['median'],
            'errors' => $figures[100]['sides']['collector']['errors'] + $figures[850]['sides']['collector']['errors'] + $figures[1000]['sides']['collector']['errors'],
        ]];
    },
    'slow' => static function () use ($isQuick, $say): array {
        $figures = (new SlowThirdParty($isQuick ? 15.0 : 60.0, $say))->run();

        return ['figures' => $figures, 'result' => [
            'slow_ideal_share' => $figures['ideal_share'],
            'slow_other_p99_ms' => round($figures['acks_beside']['p99_ms'], 1),
            'errors' => $figures['collector']['refused'] + $figures['collector']['broken'],
        ]];
    },
    'durable' => static function () use ($rounds, $seconds, $say): array {
        $figures = (new Durable($rounds, $seconds, $say))->run();

        return ['figures' => $figures, 'result' => [
            'durable_acks_per_worker' => round($figures['power_1']['events_per_second']['median']),
            'batch_events_per_core' => round($figures['power_100']['events_per_cpu_second']['median']),
            'batch_events_per_core_jit' => round($figures['jit_100']['events_per_cpu_second']['median']),
            'batch_events_per_s' => round($figures['power_100']['events_per_second']['median']),
            'errors' => array_sum(array_column($figures, 'errors')),
            'lost' => array_sum(array_column($figures, 'missing')),
        ]];
    },
    'drain' => static function () use ($url, $isQuick, $say): array {
        $figures = (new Drain($url, $isQuick ? 50_000 : 200_000, $isQuick ? 2 : 5, $say))->run();

        return ['figures' => $figures, 'result' => ['drain_docs_per_s' => round($figures['documents_per_second']['median']), 'lost' => $figures['lost'], 'double' => $figures['double']]];
    },
    'down' => static function () use ($url, $isQuick, $rounds, $say): array {
        $figures = (new DeadIndex($url, $isQuick ? 2 : $rounds, $isQuick ? 3.0 : 7.0, $say))->run();

        return ['figures' => $figures, 'result' => [
            'ack_share_when_down' => $figures['down_vs_up']['median'],
            'ack_share_when_slow' => $figures['slow_vs_up']['median'],
            'refused' => array_sum(array_column($figures['sides'], 'errors')),
            'lost' => array_sum(array_column($figures['found'], 'lost')),
            'double' => array_sum(array_column($figures['found'], 'double')),
        ]];
    },
    'reload' => static function () use ($isQuick, $say): array {
        $figures = (new Reloads($isQuick ? 3 : 20, $say))->run();

        return ['figures' => $figures, 'result' => ['reload_failed' => $figures['failed'], 'reloads' => $figures['reloads'], 'lost' => $figures['missing']]];
    },
    'kill' => static function () use ($url, $isQuick, $say): array {
        $figures = (new Kills(new Index($url, 'kill'), $isQuick ? 9 : 60, $say))->run();

        return ['figures' => $figures, 'result' => ['kills' => array_sum($figures['kills']), 'lost' => $figures['lost'], 'double' => $figures['double']]];
    },
    'connections' => static function () use ($isQuick, $say): array {
        $figures = (new ManyConnections($isQuick ? 6.0 : 20.0, $say))->run();

        return ['figures' => $figures, 'result' => ['connections_refused' => $figures['many']['refused'], 'connections_after_errors' => $figures['after']['refused'] + $figures['after']['broken'], 'lost' => $figures['missing']]];
    },
    'lane' => static function () use ($rounds, $seconds, $say): array {
        $figures = (new LaneAgainstLaravel($rounds, $seconds, $say))->run();

        return ['figures' => $figures, 'result' => [
            'lane_vs_laravel' => $figures['rate']['median'],
            'lane_p99_vs_laravel' => $figures['p99']['median'],
            'errors' => $figures['sides']['lane']['errors'],
            'lost' => max(0, $figures['acknowledged'] - $figures['buffered']),
        ]];
    },
    'figures' => static function () use ($url, $isQuick, $say): array {
        return ['figures' => (new Growing($url, $isQuick ? [100, 1000] : [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000], $isQuick ? 6.0 : 12.0, $say))->run(), 'result' => []];
    },
];

$git = new Process(['git', '-C', __DIR__, 'describe', '--always', '--dirty']);
$git->run();
$machine = Machine::describe(trim($git->getOutput()), new SystemClock);
$results = Results::of('collector', PARTS, $isQuick);

foreach (array_intersect_key($parts, array_flip($chosen)) as $name => $run) {
    $say(ucfirst($name));
    $results->add($name, $run(), $machine);
    $results->save(); // so that a later part that fails costs itself only
}

(new Printout)->print($results->measuredNow(), $results->isWhole());
$say('Report: '.Page::write($results->path));
echo 'RESULT ', json_encode($results->line(), JSON_THROW_ON_ERROR), "\n";
