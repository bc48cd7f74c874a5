<?php

declare(strict_types=1);

use Headroom\Benchmarks\Report\Boxes;
use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Table;
use Headroom\Benchmarks\Report\Text;

/** Published jobs per second on a virtual server with one CPU, and on a c4.large. */
$published = [
    'beanstalkd' => [1109.83, 2600.96],
    'redis' => [872.47, 1905.53],
    'database:mariadb' => [190.47, 452.04],
    'database:pgsql' => [206.39, 273.13],
    'database:sqlite' => [null, null],
];
$find = static fn (string $driver): string => "parts/empty/figures/findings/variant={$driver}";
$rate = static fn (string $driver): string => "{{$find($driver)}/jobs_per_s|per_second}";
$table = static fn (string $part, string $caption): Table => new Table(
    [$caption, 'jobs/s', 'valid runs', 'lost', 'twice'],
    [[
        '{variant|text}', "{jobs_per_s|per_second}\n{p25|per_second} to {p75|per_second}",
        '{valid_runs|count} of {runs|count}', '{lost|count}', '{double|count}',
    ]],
    list: "parts/{$part}/figures/findings",
);

return new Experiment(
    'queues',
    "Laravel's queue drivers",
    'Ten `queue:work` processes wait until 10,000 empty jobs are queued. Then all workers start at once. SQLite has one'
        .' worker. The servers run with the settings that they are shipped with.',
    "Jobs per second, in the median: beanstalkd {$rate('beanstalkd')}, Redis {$rate('redis')}, MariaDB"
        ." {$rate('database:mariadb')}, PostgreSQL {$rate('database:pgsql')}, SQLite with one worker"
        ." {$rate('database:sqlite')}. {parts/empty/result/lost|count|=0} jobs were lost and"
        .' {parts/empty/result/double|count|=0} ran twice.',
    'make bench-queues',
    'two and a half hours (some minutes with `QUICK=1`, with three of the scenarios)',
    [
        new Table(
            [
                '', 'published: 1 CPU', 'published: c4.large', 'here', 'valid runs', 'spread',
                'jobs that survive a crash of the server',
            ],
            array_map(static fn (string $driver): array => [
                $driver === 'database:sqlite' ? "{$driver}, one worker" : $driver,
                $published[$driver][0] === null ? '–' : number_format($published[$driver][0]).'/s',
                $published[$driver][1] === null ? '–' : number_format($published[$driver][1]).'/s',
                "{$rate($driver)}\n{{$find($driver)}/p25|per_second} to {{$find($driver)}/p75|per_second}",
                "{{$find($driver)}/valid_runs|count} of {{$find($driver)}/runs|count}",
                "{{$find($driver)}/iqr_share|share}\n{{$find($driver)}/why_spread|text}",
                "{{$find($driver)}/driver/durability|text}\n{{$find($driver)}/driver/software|text}",
            ], array_keys($published)),
        ),
        new Boxes(
            'queues-jobs',
            'Jobs per second',
            'A point is a run. Drivers that keep jobs in memory and drivers that write them to a disk do'
                .' different work.',
            'per_second',
            array_map(
                static fn (string $driver): array
                    => ["{$find($driver)}/outcomes", 'jobs_per_s', $published[$driver][1]],
                array_combine(array_keys($published), array_keys($published)),
            ),
            'published, c4.large',
        ),
        Text::note(
            'Published: "The practical benchmark of classic Laravel queueing mechanisms" (2017; Laravel 5.5,'
                .' PHP 7.1, MySQL 5.7, PostgreSQL 9.5, Redis 3.0, beanstalkd 1.10). It gives means of ten runs; this'
                .' page gives medians. Compare the order, not the figures.',
        ),
    ],
    [
        'slow' => ['A job that takes longer than retry_after', [
            new Table(
                ['', 'ran twice', 'never ran', 'failed'],
                [['{variant|text}', '{double|count}', '{lost|count}', '{failed|count}']],
                'Five jobs of 3.5 s each, with a retry_after of 2 s. Second runs and failures are expected here',
                'parts/slow/figures/findings',
            ),
        ]],
        'arrivals' => ['Single jobs, while all workers are idle', [
            new Table(
                ['until a job starts', 'median', '99th percentile', 'valid runs'],
                [[
                    '{variant|text}', '{wait_ms/p50|millis}', '{wait_ms/p99|millis}',
                    '{valid_runs|count} of {runs|count}',
                ]],
                list: 'parts/arrivals/figures/findings',
            ),
        ]],
        'others' => ['Other influences on the rate', [
            $table('deep', 'jobs in the queue'),
            $table('payload', 'size of the payload'),
            $table('output', 'what queue:work prints'),
            $table('cache', 'cache store of the worker'),
            $table('persistent', 'connections to Redis'),
        ]],
        'by-hand' => ['Against workers started by hand', [
            Text::of(
                'Two kinds of runs take turns on the same servers: `headroom:bench:queues`, and ten `php artisan'
                    .' queue:work` processes that empty the same queue.',
            ),
            new Table(
                ['', 'the benchmark / by hand', 'a difference is seen'],
                [['{driver|text}', '{compared|times}', '{difference_seen|text}']],
                list: 'parts/by-hand/figures/rows',
            ),
            new Boxes('by-hand-rates', 'Jobs per second, by hand', 'A point is a run.', 'per_second', array_map(
                static fn (string $driver): array => ["parts/by-hand/figures/rows/driver={$driver}/by_hand"],
                array_combine(array_keys($published), array_keys($published)),
            )),
        ]],
    ],
    [
        'Which queue is best: a Redis that loses the last second in a crash does other work than a database that syncs'
            .' each job.',
        'How long your jobs take: these jobs are empty, so the rate is that of taking and deleting them.',
        'What a network costs: servers, workers and the benchmark share two cores and talk over loopback.',
        'How fast MySQL is: MariaDB takes its place.',
        'How fast pda/pheanstalk is where it is not installed: then a stand-in talks to beanstalkd, and the notes of'
            .' the results say so.',
    ],
);
