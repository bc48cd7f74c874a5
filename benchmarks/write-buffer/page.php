<?php

declare(strict_types=1);

use Headroom\Benchmarks\Report\Bars;
use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Table;
use Headroom\Benchmarks\Report\Text;

$c = 'parts/contended/figures';
$e = 'parts/endpoints/figures';
$conditions = [
    'a row that all requests update, database 10 ms away' => "{$c}/c",
    'the same row, database 2 ms away' => "{$c}/c_2ms",
    'the same row, 10 ms, users pause 114 ms' => "{$c}/paced",
    'insert only, 10 ms, 10 FPM workers' => "{$c}/few_workers",
    'insert only, database on this machine' => "{$e}/a",
    'insert only, database 2 ms away' => "{$e}/b",
];
$sides = static fn (string $side): array => array_map(
    static fn (string $at): string => "{$at}/endpoints/{$side}?/requests_per_second",
    array_values($conditions),
);
$databases = ['SQLite' => 'sqlite', 'MariaDB' => 'mariadb', 'PostgreSQL' => 'pgsql'];
$below = static fn (string $part): array
    => array_map(static fn (string $key): string => "parts/{$part}/figures/{$key}", $databases);

return new Experiment(
    'write-buffer',
    'Writing through the buffer, against writing in the request',
    'A Laravel endpoint records an event for each request, with 100 users at once and 50 PHP-FPM workers. One variant'
        .' writes to MariaDB in the request. The other writes to the buffer, and `spool:work` delivers meanwhile. An'
        .' endpoint that writes nothing shows the most that any buffer can reach on the machine.',
    'With the database 10 ms away and a row that all requests update, the buffered endpoint answers'
        ." {{$c}/c/buffered_vs_sync|times} as many requests:"
        ." {{$c}/c/endpoints/buffered/requests_per_second|per_second} instead of"
        ." {{$c}/c/endpoints/sync/requests_per_second|per_second}. Of {{$c}/c/acknowledged|count} acknowledged"
        ." events, {{$c}/c/lost|count|=0} were lost and {{$c}/c/double|count|=0} delivered twice.",
    'make bench-write-buffer',
    'about fifty minutes (six with `QUICK=1`)',
    [
        new Table(
            [
                '', 'published: before', 'published: after', 'published: ratio', 'here: in the request',
                'here: buffered',
                'here: ratio',
            ],
            [
                [
                    'requests per second', '95/s', '820/s', '8.63x',
                    "{{$c}/c/endpoints/sync/requests_per_second|per_second}",
                    "{{$c}/c/endpoints/buffered/requests_per_second|per_second}",
                    "{{$c}/c/buffered_vs_sync|times}",
                ],
                [
                    'median response time', '210 ms', '8 ms', '26.3x', "{{$c}/c/endpoints/sync/p50_ms|millis}",
                    "{{$c}/c/endpoints/buffered/p50_ms|millis}", "{{$c}/c/p50_ratio|times}",
                ],
                [
                    '95th percentile', '820 ms', '31 ms', '26.5x', "{{$c}/c/endpoints/sync/p95_ms|millis}",
                    "{{$c}/c/endpoints/buffered/p95_ms|millis}", "{{$c}/c/p95_ratio|times}",
                ],
                [
                    'failed requests', '0', '0', '', "{{$c}/c/sync_errors|count|=0}", "{{$c}/c/errors|count|=0}", '',
                ],
            ],
            'The shared row, database 10 ms away. Small: the least and the most of the rounds',
        ),
        Text::note(
            'Published: "How I Scaled Laravel to 800 Requests Per Second Using Async Processing", on another machine'
                .' (4 vCPU, 8 GB, PHP 8.3, 50 FPM workers, MySQL 8.0, k6). The same load on this machine gives other'
                .' figures, and does not reach the 8.63x.',
        ),
        new Bars(
            'write-buffer-rates',
            'Requests per second',
            'Longer is better. The endpoint that writes nothing shows the most that a buffer can reach.',
            'per_second',
            ['published, another machine', ...array_keys($conditions)],
            [
                'nothing is written' => [null, ...$sides('none')],
                'written in the request' => [95.0, ...$sides('sync')],
                'buffered' => [820.0, ...$sides('buffered')],
            ],
        ),
        Table::each(
            [
                'condition', 'buffered / in the request', 'median, in the request', 'median, buffered',
                'acknowledged', 'lost', 'twice',
            ],
            $conditions,
            [
                '{@/buffered_vs_sync|times}', '{@/endpoints/sync/p50_ms|millis}',
                '{@/endpoints/buffered/p50_ms|millis}',
                '{@/acknowledged|count}', '{@/lost|count|=0}', '{@/double|count|=0}',
            ],
        ),
    ],
    [
        'append' => ['One append, in a PHP-FPM worker', [
            Table::each(['', 'median', '99th percentile'], [
                'file_put_contents() with FILE_APPEND and LOCK_EX' => 'parts/append/figures/append/nanos/naive',
                'the first event of a request' => 'parts/append/figures/append/nanos/opened',
                'each further event' => 'parts/append/figures/append/nanos/kept',
                'the facade, without the buffer' => 'parts/append/figures/facade/bare',
                'the facade, with it' => 'parts/append/figures/facade/facade',
            ], ['{@/p50|nanos}', '{@/p99|nanos}']),
            Table::each(['eight processes append, a ninth empties', 'events/s', 'events', 'lost', 'twice'], [
                'the buffer' => 'parts/parallel/figures/ours',
                'one file, renamed away to be emptied' => 'parts/parallel/figures/naive',
            ], ['{@/per_second|per_second}', '{@/events|count}', '{@/lost|count}', '{@/double|count}']),
            Table::each(['instructions, counted by callgrind', 'for one event'], [
                'a further append' => 'parts/instructions/figures/append_kept',
                'the first append of a request' => 'parts/instructions/figures/append_opened',
                'the first append into a new slot' => 'parts/instructions/figures/append_new_slot',
                'encoding' => 'parts/instructions/figures/encoding',
                'delivery into SQLite' => 'parts/instructions/figures/flush_sqlite',
            ], ['{@/instructions|count}']),
        ]],
        'redis' => ['A bucket in Redis, against a bare XADD', [
            Table::each(['', 'requests, bucket / XADD', '99th percentile', 'lost', 'twice'], [
                'a flusher empties both streams' => 'parts/redis/figures/both',
                'neither is emptied' => 'parts/redis/figures/neither',
                'only the bucket is emptied' => 'parts/redis/figures/ours',
            ], [
                '{@/redis_vs_xadd|times}', '{@/redis_p99_vs_xadd|times}', '{@/lost|count|=0}', '{@/double|count|=0}',
            ]),
        ]],
        'flush' => ['Delivery', [
            Table::each(
                [
                    'one flusher', 'rows/s', 'hand-written inserts', 'ratio', 'to rows from memory',
                    'to the query builder',
                ],
                $below('flush'),
                [
                    '{@/rows_per_second/ours|per_second}', '{@/rows_per_second/written|per_second}', '{@/ratio|times}',
                    '{@/ratio_to_memory|times}', '{@/ratio_to_builder|times}',
                ],
            ),
            Table::each(
                ['counted rows (aggregation)', 'events/s', 'a statement an event', 'ratio'],
                $below('aggregate'),
                [
                    '{@/events_per_second/ours|per_second}',
                    '{@/events_per_second/written|per_second}',
                    '{@/ratio|times}',
                ],
            ),
            Table::each(
                ['memory of a flush, MB above the application', '100,000 events', '1,000,000 events', '`spool:status`'],
                $below('memory'),
                ['{@/100000/flush/php_mb|count}', '{@/1000000/flush/php_mb|count}', '{@/1000000/status/php_mb|count}'],
            ),
            Table::each(['reading segments, MB/s', 'whole', 'damaged'], [
                '64 MB' => '64', '128 MB' => '128', '256 MB' => '256',
            ], ['{parts/scan/figures/whole/@|count}', '{parts/scan/figures/damaged/@|count}']),
        ]],
    ],
    [
        'What the published machine would reach: it has other CPUs, MySQL on a local network, k6 as its client, and an'
            .' insert without a shared row. Only this experiment has the shared row and the 10 ms.',
        'What the buffer gains on other hardware: the client, nginx, 50 PHP-FPM workers, the flusher and the database'
            .' share two cores here, so an endpoint that writes nothing is not much faster than the buffered one.',
        'What surviving a power cut costs: nothing is synced to the disk in these conditions. The experiment'
            .' "durability" measures that.',
        'Whether a difference is real that is smaller than the spread of the rounds, which is below each figure.',
    ],
);
