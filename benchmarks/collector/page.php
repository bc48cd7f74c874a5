<?php

declare(strict_types=1);

use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Figures;
use Headroom\Benchmarks\Report\Lines;
use Headroom\Benchmarks\Report\Pair;
use Headroom\Benchmarks\Report\Table;
use Headroom\Benchmarks\Report\Text;

/** By scenario: title, and the published results of an event loop and of PHP-FPM. */
$scenarios = [
    'hello' => ['Hello world', 'very similar', 'very similar'],
    'slow' => ['A third party that takes 2 s', '2 s on average', '60 s on average, then no response'],
    'log' => ['A payload is logged', 'around 10 ms', 'stops handling requests'],
];
$steps = 'parts/figures/figures';
// The client times refusals as well, which cost no time.
$isRefused = static fn (Figures $step): bool => $step->number('refused') >= $step->number('requests') / 2;
$failures = static fn (Figures $step): string => ($count = $step->number('refused') + $step->number('broken')) > 0
    ? number_format($count).' failed'
    : '';
$lines = static fn (string $scenario, string $key): array => [
    'collector' => ["{$steps}/{$scenario}_x", $key],
    'PHP-FPM' => ["{$steps}/{$scenario}_a", $key],
];
$section = static fn (string $scenario): array => [$scenarios[$scenario][0], [
    Text::of('Users from 100 to 1,000, each with a request a second.'),
    new Pair(
        new Lines(
            "{$scenario}-rate",
            'Answers a second',
            'More is better. A cross: some requests failed.',
            ['users', 'count'],
            'per_second',
            $lines($scenario, 'requests_per_second'),
            mark: $failures,
        ),
        new Lines(
            "{$scenario}-time", 'Median response time', 'Less is better. A line ends where more than half was refused.',
            ['users', 'count'], 'millis', $lines($scenario, 'p50_ms'), $isRefused,
        ),
    ),
    ...array_map(static fn (string $stack, string $name): Table => new Table(
        ["users, {$name}", 'answers', 'median', '95th percentile', '99th percentile', 'refused', 'broken'],
        [[
            '{users|count}', '{requests_per_second|per_second}', '{p50_ms|millis}', '{p95_ms|millis}',
            '{p99_ms|millis}',
            '{refused|count|=0}', '{broken|count|=0}',
        ]],
        'Response times count refusals as well',
        "{$steps}/{$scenario}_{$stack}",
    ), ['x', 'a'], ['collector', 'PHP-FPM']),
]];
$rows = static fn (string $part, array $rows): Table => new Table(['', ''], array_map(
    static fn (string $label, string $cell): array => [$label, strtr($cell, ['@' => "parts/{$part}"])],
    array_keys($rows),
    $rows,
));

return new Experiment(
    'collector',
    'The event collector, against PHP-FPM',
    'The collector (four workers behind nginx) and PHP-FPM (16 workers behind nginx, scripts without a framework)'
        .' answer the same three endpoints for 100 to 1,000 users. Then the collector alone is measured at full load,'
        .' under reloads and kills, and while its index is slow or does not answer.',
    'If each request waits 2 s for a third party, the collector gives 1,000 users'
        .' {parts/slow/figures/ideal_share|share} of the answers that are possible. One worker acknowledges events at'
        .' {parts/durable/figures/power_1/events_per_second|per_second}, each synced to the disk. In all parts, with'
        .' {parts/kill/result/kills|count} kills, {result/lost|count|=0} events were lost and'
        .' {result/double|count|=0} delivered twice.',
    'make bench-collector',
    'about forty minutes (five with `QUICK=1`); PART=soak takes over an hour more',
    [
        new Table(
            [
                '1,000 users, a request a second each', 'published: event loop', 'published: PHP-FPM',
                'here: collector', 'collector: failed', 'here: PHP-FPM', 'PHP-FPM: failed',
            ],
            array_map(static fn (string $key): array => [
                ...$scenarios[$key],
                "{{$steps}/{$key}_x/users=1000/requests_per_second|per_second}\n"
                    ."median {{$steps}/{$key}_x/users=1000/p50_ms|millis}",
                "{{$steps}/{$key}_x/users=1000/refused|count|=0}",
                "{{$steps}/{$key}_a/users=1000/requests_per_second|per_second}",
                "{{$steps}/{$key}_a/users=1000/refused|count|=0}",
            ], array_keys($scenarios)),
        ),
        Text::note(
            'Published: "A High-Performance Logger with PHP" (8 cores, Locust as the client; averages, charts without'
                .' figures). That server answers first and logs later from memory; the collector answers 202 when'
                .' the event is on the disk.',
        ),
        new Lines(
            'collector-slow', 'A third party that takes 2 s: median response time',
            'A line ends where more than half of the requests was refused.', ['users', 'count'], 'millis',
            $lines('slow', 'p50_ms'), $isRefused,
        ),
    ],
    [
        'hello' => $section('hello'),
        'slow' => $section('slow'),
        'log' => $section('log'),
        'flat-out' => ['At full load', [
            $rows('hello', [
                'Hello world, 100 connections: one worker' =>
                    '{@/figures/100/sides/collector/requests_per_second|per_second}',
                'the same, PHP-FPM with both cores' => '{@/figures/100/sides/fpm/requests_per_second|per_second}',
                'one worker / PHP-FPM' => '{@/figures/100/collector_vs_fpm|times|>=2.5}',
                'one worker / PHP-FPM, 850 connections' => '{@/figures/850/collector_vs_fpm|times}',
                'two workers / PHP-FPM, 1,000 connections' => '{@/figures/1000/collector_vs_fpm|times|>=3}',
                '99th percentile of two workers, 1,000 connections' =>
                    '{@/figures/1000/sides/collector/p99_ms|millis|<=150}',
                'errors of the collector' => '{@/result/errors|count|=0}',
            ]),
            Text::of('1,000 users of a third party that takes 2 s, without a pause:'),
            $rows('slow', [
                'answers, of the 500 a second that are possible' => '{@/figures/ideal_share|share|>=0.95}',
                '99th percentile of other clients, which send events' => '{@/figures/acks_beside/p99_ms|millis|<=50}',
                'errors of the collector' => '{@/result/errors|count|=0}',
                'answers of PHP-FPM' => '{@/figures/fpm/requests_per_second|per_second}',
                'refused by PHP-FPM' => '{@/figures/fpm/refused|count}',
                'broken, or without an answer in time, PHP-FPM' => '{@/figures/fpm/broken|count}',
            ]),
        ]],
        'durable' => ['Events on disk', [
            Table::each(['one worker, 100 connections', 'events', 'in a second of one core', '99th percentile'], [
                'synced to the disk, one event a request' => 'parts/durable/figures/power_1',
                'synced, 100 a request' => 'parts/durable/figures/power_100',
                'in the page cache, one a request' => 'parts/durable/figures/process_1',
                'in the page cache, 100 a request' => 'parts/durable/figures/process_100',
                'synced, one a request, PHP with JIT' => 'parts/durable/figures/jit_1',
                'synced, 100 a request, PHP with JIT' => 'parts/durable/figures/jit_100',
            ], ['{@/events_per_second|per_second}', '{@/events_per_cpu_second|count}', '{@/p99_ms|millis}']),
            $rows('durable', [
                'synced, one a request' => '{@/result/durable_acks_per_worker|per_second|>=15000}',
                'synced, 100 a request, in a second of one core' => '{@/result/batch_events_per_core|count|>=300000}',
                'errors' => '{@/result/errors|count|=0}',
                'acknowledged and not in the buffer' => '{@/result/lost|count|=0}',
            ]),
            $rows('drain', [
                'one flusher into OpenSearch, documents' => '{@/figures/documents_per_second|per_second|>=20000}',
                'lost' => '{@/figures/lost|count|=0}',
                'twice in the index' => '{@/figures/double|count|=0}',
            ]),
        ]],
        'failures' => ['Reloads, kills, and an index that does not answer', [
            $rows('reload', [
                'rolling reloads under load' => '{@/figures/reloads|count|>=20}',
                'failed requests' => '{@/figures/failed|count|=0}',
                'acknowledged and not in the buffer' => '{@/figures/missing|count|=0}',
            ]),
            $rows('kill', [
                '`kill -9` of a worker, a flusher or the supervisor' => '{@/result/kills|count}',
                'events acknowledged' => '{@/figures/acknowledged|count}',
                'lost' => '{@/figures/lost|count|=0}',
                'twice in the index' => '{@/figures/double|count|=0}',
            ]),
            $rows('down', [
                '202s while the index answers 50 ms later' => '{@/figures/slow_vs_up|times|>=0.95}',
                '202s while no index answers' => '{@/figures/down_vs_up|times|>=0.95}',
                'refused' => '{@/result/refused|count|=0}',
                'lost, once the index is back' => '{@/result/lost|count|=0}',
                'twice in the index' => '{@/result/double|count|=0}',
            ]),
            $rows('outage', [
                '202s in the minute without an index / before' => '{@/result/outage_ack_share|times|>=0.95}',
                'events waiting when it was back' => '{@/figures/waiting_when_back|count}',
                'until the flusher kept up with the load again' => '{@/figures/caught_up_seconds|seconds}',
                'refused or broken' => '{@/result/refused|count|=0}',
                'lost' => '{@/result/lost|count|=0}',
                'twice in the index' => '{@/result/double|count|=0}',
            ]),
            $rows('connections', [
                '3,000 connections at two workers that take 1,800: 202s' =>
                    '{@/figures/many/requests_per_second|per_second}',
                'refused or broken' => '{@/result/connections_refused|count|=0}',
                'refused or broken of 100 connections after them' => '{@/result/connections_after_errors|count|=0}',
                'acknowledged and not in the buffer' => '{@/figures/missing|count|=0}',
            ]),
        ]],
        'soak' => ['An hour at half load', [
            $rows('soak', [
                'seconds' => '{@/figures/seconds|seconds}',
                '202s' => '{@/figures/soak/requests_per_second|per_second}',
                '99th percentile' => '{@/figures/soak/p99_ms|millis}',
                'memory of the workers, last quarter / first' => '{@/figures/memory/worker/last_vs_first|times|<=1.05}',
                'memory of the flusher' => '{@/figures/memory/flusher/last_vs_first|times|<=1.05}',
                'memory of the supervisor' => '{@/figures/memory/supervisor/last_vs_first|times|<=1.05}',
                'refused or broken' => '{@/result/refused|count|=0}',
                'lost' => '{@/result/lost|count|=0}',
                'twice in the index' => '{@/result/double|count|=0}',
            ]),
        ]],
        'lane' => ['Published into PHP-FPM, against a Laravel endpoint', [
            $rows('lane', [
                'requests, `collect:publish`' => '{@/figures/sides/lane/requests_per_second|per_second}',
                'requests, a Laravel endpoint that writes nothing' =>
                    '{@/figures/sides/laravel/requests_per_second|per_second}',
                'ratio' => '{@/figures/rate|times|>=8}',
                'ratio of the 99th percentiles' => '{@/figures/p99|times|<=0.2}',
                'ratio, with 50 PHP-FPM workers on both sides' => '{@/figures/shared_rate|times}',
                'ratio of the 99th percentiles, the same' => '{@/figures/shared_p99|times}',
                'errors' => '{@/result/errors|count|=0}',
                'acknowledged and not in the buffer' => '{@/result/lost|count|=0}',
            ]),
        ]],
    ],
    [
        'What the collector reaches with eight cores, or with an Elasticsearch cluster over a network: the client'
            .' (wrk), nginx, PHP-FPM, the collector and OpenSearch share two cores and talk over loopback.',
        'What PHP-FPM does when the index that it logs to is slow: here that index is on the same machine.',
        'How long an overloaded server takes to respond: requests that still wait at the end of a step do not count.',
        'How both sides compare under the same promise: only the collector syncs an event to the disk before it'
            .' answers.',
    ],
);
