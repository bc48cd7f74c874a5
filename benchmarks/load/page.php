<?php

declare(strict_types=1);

use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Table;

$clients = [
    '`headroom load`, one process' => 'load_1',
    '`headroom load`, two processes' => 'load_2',
    'wrk, one thread' => 'wrk_1',
    'wrk, two threads' => 'wrk_2',
    'hey' => 'hey',
];

return new Experiment(
    'load',
    'The load generator, against wrk and hey',
    '`headroom load`, wrk and hey take turns at one nginx that answers with two bytes over kept connections. A second'
        .' server, whose delays are known, shows how far the reported percentiles are from the true ones.',
    'One process of `headroom load` sends {result/load_1_vs_hey|times} as many requests per second as hey. The worst'
        .' of the percentiles that it reports is {result/percentile_error|share} off (median of five runs).',
    'make bench-load',
    'about seven minutes (one with `QUICK=1`)',
    [
        Table::each(
            ['requests per second', '10 connections', '100 connections'],
            $clients,
            ['{rates/10/@?|per_second}', '{rates/100/@?|per_second}'],
        ),
        Table::each(['ratio, in the same round', '10 connections', '100 connections'], [
            'load / hey, one process' => 'load_1_vs_hey',
            'load / wrk, one process' => 'load_1_vs_wrk_1',
            'load / wrk, two processes' => 'load_2_vs_wrk_2',
            'load, two processes / one' => 'load_2_vs_load_1',
        ], ['{ratios/@_at_10?|times}', '{ratios/@_at_100?|times}']),
        Table::each(
            ['percentiles: largest error', 'in all', 'of the histogram', 'of the way between server and client'],
            ['median of the runs' => 'percentile_error'],
            ['{result/@|share}', '{result/@_of_histogram|share}', '{result/@_of_way|share}'],
        ),
    ],
    [],
    [
        'How fast a client is on a machine of its own: here it shares two cores with nginx.',
        'How fast a client is with slow answers, large bodies or TLS.',
    ],
);
