<?php

declare(strict_types=1);

/*
 * The collector's figures: `make bench-collector`, or `QUICK=1 make bench-collector` for a short form. PART names the
 * parts to run, with commas between them; all but soak and outage when it is not set. Needs nginx, PHP-FPM and wrk, and
 * for drain, kill, down, figures, soak and outage an OpenSearch or Elasticsearch (HEADROOM_OPENSEARCH_URL), which
 * `bin/services run opensearch` gives.
 */

use Headroom\Benchmarks\Collector\Drain;
use Headroom\Benchmarks\Collector\Durable;
use Headroom\Benchmarks\Collector\HelloWorld;
use Headroom\Benchmarks\Collector\Index;
use Headroom\Benchmarks\Collector\Kills;
use Headroom\Benchmarks\Collector\ManyConnections;
use Headroom\Benchmarks\Collector\Outage;
use Headroom\Benchmarks\Collector\PublishedAgainstLaravel;
use Headroom\Benchmarks\Collector\Reloads;
use Headroom\Benchmarks\Collector\RisingUsers;
use Headroom\Benchmarks\Collector\SlowIndex;
use Headroom\Benchmarks\Collector\SlowThirdParty;
use Headroom\Benchmarks\Collector\Soak;
use Headroom\Benchmarks\Run;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const PARTS = ['hello', 'slow', 'durable', 'drain', 'down', 'reload', 'kill', 'connections', 'lane', 'figures'];
/** These run only if PART names them: they take long. */
const LONG = ['soak', 'outage'];
const INDEXED = ['drain', 'down', 'kill', 'figures', ...LONG];
$run = Run::of('collector', PARTS, LONG);
$isQuick = $run->isQuick;
$url = (string) getenv('HEADROOM_OPENSEARCH_URL');
$indexed = array_intersect($run->chosen, INDEXED);
$url !== '' || $indexed === [] || Run::refuse(
    implode(', ', $indexed)
        .' need an index. Run: bin/services run opensearch -- php benchmarks/collector/run.php',
);
$soakSeconds = (float) (getenv('SOAK_SECONDS') ?: ($isQuick ? 60 : 3600));

$soakSeconds >= 10.0 || Run::refuse('SOAK_SECONDS is below 10. Leave it out for an hour.');
$log = Run::log(...);
[$rounds, $seconds] = $isQuick ? [3, 2.0] : [9, 4.0];

$parts = [
    'hello' => static function () use ($rounds, $seconds, $log): array {
        $figures = (new HelloWorld($rounds, $seconds, $log))->run();

        return ['figures' => $figures, 'result' => [
            'hello_vs_fpm_100' => $figures[100]['collector_vs_fpm']['median'],
            'hello_vs_fpm_850' => $figures[850]['collector_vs_fpm']['median'],
            'hello_vs_fpm_1000' => $figures[1000]['collector_vs_fpm']['median'],
            'hello_p99_ms_1000' => $figures[1000]['sides']['collector']['p99_ms']['median'],
            'errors' => $figures[100]['sides']['collector']['errors'] + $figures[850]['sides']['collector']['errors']
                + $figures[1000]['sides']['collector']['errors'],
        ]];
    },
    'slow' => static function () use ($isQuick, $log): array {
        $figures = (new SlowThirdParty($isQuick ? 15.0 : 60.0, $log))->run();

        return ['figures' => $figures, 'result' => [
            'slow_ideal_share' => $figures['ideal_share'],
            'slow_other_p99_ms' => round($figures['acks_beside']['p99_ms'], 1),
            'errors' => $figures['collector']['refused'] + $figures['collector']['broken'],
        ]];
    },
    'durable' => static function () use ($rounds, $seconds, $log): array {
        $figures = (new Durable($rounds, $seconds, $log))->run();

        return ['figures' => $figures, 'result' => [
            'durable_acks_per_worker' => round($figures['power_1']['events_per_second']['median']),
            'batch_events_per_core' => round($figures['power_100']['events_per_cpu_second']['median']),
            'batch_events_per_core_jit' => round($figures['jit_100']['events_per_cpu_second']['median']),
            'batch_events_per_s' => round($figures['power_100']['events_per_second']['median']),
            'errors' => array_sum(array_column($figures, 'errors')),
            'lost' => array_sum(array_column($figures, 'missing')),
        ]];
    },
    'drain' => static function () use ($url, $isQuick, $log): array {
        $figures = (new Drain($url, $isQuick ? 50_000 : 200_000, $isQuick ? 2 : 5, $log))->run();

        return [
            'figures' => $figures,
            'result' => [
                'drain_docs_per_s' => round($figures['documents_per_second']['median']),
                'lost' => $figures['lost'],
                'double' => $figures['double'],
            ],
        ];
    },
    'down' => static function () use ($url, $isQuick, $rounds, $log): array {
        $figures = (new SlowIndex($url, $isQuick ? 2 : $rounds, $isQuick ? 3.0 : 7.0, $log))->run();

        return ['figures' => $figures, 'result' => [
            'ack_share_when_down' => $figures['down_vs_up']['median'],
            'ack_share_when_slow' => $figures['slow_vs_up']['median'],
            'refused' => array_sum(array_column($figures['sides'], 'errors')),
            'lost' => array_sum(array_column($figures['found'], 'lost')),
            'double' => array_sum(array_column($figures['found'], 'double')),
        ]];
    },
    'reload' => static function () use ($isQuick, $log): array {
        $figures = (new Reloads($isQuick ? 3 : 20, $log))->run();

        return [
            'figures' => $figures,
            'result' => [
                'reload_failed' => $figures['failed'],
                'reloads' => $figures['reloads'],
                'lost' => $figures['missing'],
            ],
        ];
    },
    'kill' => static function () use ($url, $isQuick, $log): array {
        $figures = (new Kills(new Index($url, 'kill'), $isQuick ? 9 : 60, $log))->run();

        return [
            'figures' => $figures,
            'result' => [
                'kills' => array_sum($figures['kills']),
                'lost' => $figures['lost'],
                'double' => $figures['double'],
            ],
        ];
    },
    'connections' => static function () use ($isQuick, $log): array {
        $figures = (new ManyConnections($isQuick ? 6.0 : 20.0, $log))->run();

        return [
            'figures' => $figures,
            'result' => [
                'connections_refused' => $figures['many']['refused'],
                'connections_after_errors' => $figures['after']['refused'] + $figures['after']['broken'],
                'lost' => $figures['missing'],
            ],
        ];
    },
    'lane' => static function () use ($rounds, $seconds, $log): array {
        $figures = (new PublishedAgainstLaravel($rounds, $seconds, $log))->run();

        return ['figures' => $figures, 'result' => [
            'lane_vs_laravel' => $figures['rate']['median'],
            'lane_p99_vs_laravel' => $figures['p99']['median'],
            'errors' => $figures['sides']['lane']['errors'],
            'lost' => max(0, $figures['acknowledged'] - $figures['buffered']),
        ]];
    },
    'figures' => static function () use ($url, $isQuick, $log): array {
        return [
            'figures' => (new RisingUsers(
                $url,
                $isQuick ? [100, 1000] : [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000],
                $isQuick ? 6.0 : 12.0,
                $log,
            ))->run(),
            'result' => [],
        ];
    },
    'soak' => static function () use ($url, $soakSeconds, $log): array {
        $figures = (new Soak($url, $soakSeconds, $log))->run();
        $result = [
            'soak_seconds' => $figures['seconds'],
            'soak_acks_per_s' => $figures['soak']['requests_per_second'],
            'soak_p99_ms' => round($figures['soak']['p99_ms'], 1),
        ];

        foreach ($figures['memory'] as $kind => $row) {
            $result += [
                "soak_{$kind}_last_vs_first" => $row['last_vs_first'],
                "soak_{$kind}_mb_per_hour" => $row['mb_per_hour'],
            ];
        }

        return [
            'figures' => $figures,
            'result' => $result
                + [
                    'refused' => $figures['soak']['refused'] + $figures['soak']['broken'],
                    'lost' => $figures['lost'],
                    'double' => $figures['double'],
                ],
        ];
    },
    'outage' => static function () use ($url, $isQuick, $log): array {
        $figures = (new Outage($url, $isQuick ? 6.0 : 60.0, $log))->run();

        return ['figures' => $figures, 'result' => [
            'outage_ack_share' => round(
                $figures['acks_per_second']['during']['mean']
                    / max(0.001, $figures['acks_per_second']['before']['mean']),
                4,
            ),
            'outage_caught_up_s' => $figures['caught_up_seconds'] ?? -1,
            'refused' => $figures['client']['refused'] + $figures['client']['broken'],
            'lost' => $figures['lost'],
            'double' => $figures['double'],
        ]];
    },
];

$run->measure($parts, array_values($url === '' ? array_diff(PARTS, INDEXED) : PARTS));
