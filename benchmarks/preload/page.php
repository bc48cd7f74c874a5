<?php

declare(strict_types=1);

use Headroom\Benchmarks\Report\Bars;
use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Fold;
use Headroom\Benchmarks\Report\Listing;
use Headroom\Benchmarks\Report\Ranges;
use Headroom\Benchmarks\Report\Table;
use Headroom\Benchmarks\Report\Text;

/** By the name of the list: label, published label, published requests per second. */
$lists = [
    'plain' => ['no list, plain autoloader', 'No preload', 21.78],
    '-o' => ['no list, optimized autoloader (-o)', null, null],
    '-o -a' => ['no list, authoritative autoloader (-o -a)', null, null],
    'laravel' => ['laravel', 'Naive preload', 25.03],
    'refined' => ['refined', 'Refined preload', 25.22],
    'vendors' => ['vendors', 'Refined preload + vendors', 26.54],
    'hot' => ['hot (the default)', 'Hot files preload', 25.16],
    'hot-laravel' => ['hot-laravel', 'Hot files Laravel preload', 25.03],
    'article' => ['as Laraload makes it', null, null],
];
$pages = [
    'JSON' => 'GET ~1pages~1json',
    'Blade and session' => 'GET ~1pages~1blade',
    'Eloquent' => 'GET ~1pages~1posts',
];
$find = static fn (string $list, string $part = 'strategies'): string
    => "parts/{$part}/figures/findings/variant={$list}";
$keys = array_keys($lists);
$compared = array_values(array_diff($keys, ['plain', '-o', '-o -a']));
$cost = static fn (string $at): array => array_values(array_map(
    static fn (string $page): string => "{{$at}/costs/{$page}|gain}",
    $pages,
));

return new Experiment(
    'preload',
    'Preloading with opcache',
    'A Laravel application runs in PHP-FPM in turns: with each of the five lists that `headroom:preload` generates and'
        .' verifies, with the list that the package Laraload generates, and without a list. A page that answers'
        .' differently with a list counts as broken.',
    'CPU time of a request with the default list, against an authoritative autoloader without preloading: '
        .implode(', ', array_map(
            static fn (string $name, string $page): string => "{{$find('hot')}/costs/{$page}|gain} ({$name})",
            array_keys($pages),
            $pages,
        )).'. The list breaks'
        .' {'.$find('hot').'/pages_changed|length|=0} of 15 pages. The list of Laraload breaks'
        .' {'.$find('article').'/pages_changed|length}.',
    'make bench-preload',
    'about twenty-five minutes (two to three with `QUICK=1`)',
    [
        new Table(
            [
                'list', 'published: requests/s', 'published: ratio', 'here: JSON, to the first row',
                'here: Blade, to the first row', 'files',
                'pages broken',
            ],
            array_map(static fn (string $list): array => [
                $lists[$list][0],
                $lists[$list][2] === null ? '–' : "{$lists[$list][2]}\n{$lists[$list][1]}",
                $lists[$list][2] === null ? '–' : number_format($lists[$list][2] / 21.78, 2).'x',
                ...($list === 'plain' ? ['1x', '1x'] : [
                    "{{$find($list)}/rates_to_plain/GET ~1pages~1json|times}",
                    "{{$find($list)}/rates_to_plain/GET ~1pages~1blade|times}",
                ]),
                "{{$find($list)}/files|count}",
                "{{$find($list)}/pages_changed|length}",
            ], $keys),
            'Small: the quartiles of the rounds',
        ),
        Text::note(
            'Published: "Preloading Laravel on PHP7.4 in the real world" (one run of `ab -n 100 -c 5` for each list,'
                .' in a container with Xdebug next to more than twenty others, without a spread). That is another'
                .' application, so compare only the ratios. The lists here are preloaded with the authoritative'
                .' autoloader, whose own gain is in its row.',
        ),
    ],
    [
        'cpu' => ['CPU time of a request', [
            Text::of(
                'Less is better. The dot is the median of the rounds, each against the authoritative autoloader without'
                    .' preloading in the same round. The bar goes from quartile to quartile. A hollow dot means that no'
                    .' difference is seen. The grey area shows how much two pools without preloading differ.',
            ),
            ...array_map(static fn (string $name, string $page): Ranges => new Ranges(
                'cpu-'.strtolower(strtok($name, ' ')),
                $name,
                "{{$find('-o -a')}/costs/{$page}/cpu_us|micros} without preloading.",
                "{$find('-o -a')}/costs/{$page}/floor",
                array_combine(
                    ['the same again', ...array_map(static fn (string $list): string => $lists[$list][0], $compared)],
                    array_map(
                        static fn (string $list): string => "{$find($list)}/costs/{$page}",
                        ['-o -a again', ...$compared],
                    ),
                ),
            ), array_keys($pages), $pages),
        ]],
        'rates' => ['Requests per second', [
            new Bars(
                'preload-rates',
                'Requests per second, to no list and a plain autoloader',
                'Longer is better.',
                'times',
                array_column($lists, 0),
                [
                    'here, JSON' => array_map(
                        static fn (string $list): string => "{$find($list)}/rates_to_plain/GET ~1pages~1json",
                        $keys,
                    ),
                    'here, Blade' => array_map(
                        static fn (string $list): string => "{$find($list)}/rates_to_plain/GET ~1pages~1blade",
                        $keys,
                    ),
                    'published, another application' => array_map(
                        static fn (array $list): ?float => $list[2] === null ? null : $list[2] / 21.78,
                        array_values($lists),
                    ),
                ],
            ),
        ]],
        'breaks' => ['Warnings, and pages that answer differently', [
            Text::of(
                'With each list, each of fifteen pages was requested three times. Six of the pages are traps: they'
                    .' break under a careless list, so their number says nothing about other applications.',
            ),
            new Table(
                ['list', 'warnings of PHP', 'pages changed', ''],
                [['{variant|text}', '{warnings|count}', '{pages_changed|length}', '{pages_changed|text}']],
                list: 'parts/strategies/figures/findings',
            ),
            Table::each(
                ['list of headroom:preload', 'classes left out', 'made and proven in'],
                array_combine(array_slice($compared, 0, 5), array_slice($compared, 0, 5)),
                [
                    '{parts/strategies/figures/made/@/dropped|count}',
                    '{parts/strategies/figures/made/@/generate_s|seconds}',
                ],
            ),
            new Listing('parts/strategies/figures/refused', 'Not measured: {|text}'),
        ]],
        'memory' => ['Memory, start, first request', [
            new Table(
                [
                    'list', 'files', 'classes', 'list, MB', 'worker, MB', 'start', 'first request',
                    'to the authoritative autoloader',
                ],
                [[
                    '{variant|text}', '{files|count}', '{classes|count}', '{preload_bytes|megabytes}',
                    '{worker_bytes|megabytes}', '{start_ms|millis}', '{first_request_ms|millis}',
                    '{first_request_ratio|times}',
                ]],
                'List: in the shared memory of opcache, once for all workers. Worker: its proportional share (PSS)',
                'parts/strategies/figures/findings',
            ),
        ]],
        'ways' => ['Preloading, file cache, worker mode', [
            Table::each(['CPU time, to the authoritative autoloader', ...array_keys($pages), 'first request'], [
                'the same again' => $find('-o -a again', 'ways'),
                'the default list' => $find('hot', 'ways'),
                '`opcache.file_cache`' => $find('file cache', 'ways'),
                '`opcache.file_cache_only`' => $find('file cache only', 'ways'),
            ], [...$cost('@'), '{@/first_request_ms|millis}']),
            Table::each(
                ['worker mode: one process answers all pages', ...array_keys($pages)],
                ['kept in memory' => 'parts/ways/figures/kept'],
                array_values(array_map(static fn (string $page): string => "{@/{$page}|gain}", $pages)),
            ),
            Text::note(
                '`php benchmarks/preload/ways.php` measures these. The worker mode here has no web server, and not the'
                    .' sandbox of Octane.',
            ),
        ]],
        'settings' => ['Settings of the pools', [
            new Fold('php.ini', 'parts/strategies/figures/ini', [new Table(
                ['', ''],
                array_map(static fn (string $key): array => [$key, "{{$key}|text}"], [
                    'opcache.validate_timestamps', 'opcache.memory_consumption', 'opcache.interned_strings_buffer',
                    'opcache.max_accelerated_files', 'opcache.jit', 'realpath_cache_size', 'realpath_cache_ttl',
                    'memory_limit',
                ]),
            )]),
        ]],
    ],
    [
        'What your application gains: preloading saves a fixed time for each class that a request uses, which is much'
            .' of a page of 1 ms and little of a page of 50 ms. `php artisan headroom:bench:preload` measures yours.',
        'How many requests a server takes: client, nginx and PHP share one machine.',
        'What happens on a machine whose page cache is cold, with other versions of PHP, with JIT, or with'
            .' `opcache.validate_timestamps=1`.',
        'How often a careless list breaks an application: the traps exist to break under it.',
        'What Laraload itself generates: the experiment builds its list by its rules (the most used files of opcache up'
            .' to 32 MB, compiled and not filtered).',
    ],
);
