<?php

declare(strict_types=1);

use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Benchmarks\Report\Bars;
use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Figures;
use Headroom\Benchmarks\Report\Fold;
use Headroom\Benchmarks\Report\Lines;
use Headroom\Benchmarks\Report\Listing;
use Headroom\Benchmarks\Report\Pair;
use Headroom\Benchmarks\Report\Table;
use Headroom\Benchmarks\Report\Text;

/** Published share of errors and mean in milliseconds, by stage. */
$published = [
    Stage::Baseline->value => [0.5051, 9_929],
    Stage::Keepalive->value => [0.8486, 566],
    Stage::Limits->value => [0.4867, 7_917],
    Stage::Cpus->value => [0.1527, 12_350],
    Stage::Files->value => [0.0003, 3_730],
    Stage::Persistent->value => [0.0003, 3_730],
];
$list = 'parts/stages/figures/stages';
$at = static fn (Stage $stage): string => "{$list}/stage={$stage->value}";
$stages = Stage::cases();
$figures = ['{@/error_rate|share}', '{@/mean_ms|millis}', '{@/p95_ms|millis}', '{@/redis_clients_most|count}',
    '{@/redis_connections_per_second|per_second}', '{@/cpu_share|share}'];
$row = static fn (string $load): array
    => array_map(static fn (string $cell): string => strtr($cell, ['@' => $load]), $figures);
$headings = ['failed', 'mean', '95th percentile', 'Redis clients', 'new connections', 'CPUs busy'];
$failures = static fn (Figures $slot): string => $slot->number('errors') > 0
    ? number_format((float) $slot->number('errors')).' failed'
    : '';

return new Experiment(
    'bottleneck',
    'Finding a bottleneck with the doctor',
    'A published account tells of four days of searching: 350 users waited for a stack of nginx, PHP-FPM and Redis'
        .' while its CPUs were idle. This experiment repeats each change that its authors tried. At each stage,'
        .' `headroom:doctor --url` gets the address of the application and must name the cause.',
    'The doctor named the cause in {parts/stages/result/stages_named|count} of'
        .' {parts/stages/result/stages_ill|count} stages with a fault, after at most'
        .' {parts/stages/result/seconds_to_cause|seconds}, and raised'
        .' {parts/stages/result/stages_false_alarms|count|=0} false alarms. Persistent connections reduced failed'
        .' requests from {'.$at(Stage::Baseline).'/load/error_rate|share} to {'.$at(Stage::Persistent)
        .'/load/error_rate|share}.',
    'make bench-bottleneck',
    'about fifteen minutes (seven with `QUICK=1`, with three of the stages)',
    [
        new Table(
            [
                'stage', 'published: failed', 'published: mean', 'here: failed', 'here: mean', 'CPUs busy',
                'the doctor',
            ],
            array_map(static fn (Stage $stage): array => [
                $stage->title(),
                isset($published[$stage->value]) ? number_format(100 * $published[$stage->value][0], 2).' %' : '–',
                isset($published[$stage->value]) ? number_format($published[$stage->value][1]).' ms' : '–',
                "{{$at($stage)}/load/error_rate|share}",
                "{{$at($stage)}/load/mean_ms|millis}",
                "{{$at($stage)}/load/cpu_share|share}",
                "{{$at($stage)}/judged/words|text}\nright: {{$at($stage)}/judged/right|text}",
            ], $stages),
        ),
        new Bars('bottleneck-errors', 'Failed requests', 'Shorter is better.', 'share', array_map(
            static fn (Stage $stage): string => $stage->title(),
            $stages,
        ), [
            'here' => array_map(static fn (Stage $stage): string => "{$at($stage)}/load/error_rate", $stages),
            'published, other servers' => array_map(
                static fn (Stage $stage): ?float => $published[$stage->value][0] ?? null,
                $stages,
            ),
        ]),
        Text::note(
            'Published: "Scaling Laravel and finding bottlenecks" (2020; staging servers of 2 and 8 cores, PHP-FPM 7.4,'
                .' JMeter). It gives 0.03 % and 3,730 ms only once, after both of the last two changes, and no figures'
                .' for the updated packages. Its client counted a request as failed after 8 s, and waited on; here'
                .' the client ends the request then.',
        ),
        Text::of(
            'Then the experiment applied the fixes as the doctor prints them. In'
                .' {parts/fixes/result/stages_fixed_by_text|count} of {parts/fixes/result/stages_mended|count} stages,'
                .' less than 1 % of the requests failed afterwards.',
        ),
    ],
    [
        'stages' => ['Each stage', [
            new Table(
                ['stage', ...$headings],
                array_map(static fn (Stage $stage): array
                    => [$stage->title(), ...$row("{$at($stage)}/load")], $stages),
            ),
            ...array_map(static fn (Stage $stage): Fold => new Fold($stage->title(), $at($stage), [
                Text::of("{$stage->words()} CPU: {quota|text}."),
                Text::lead('The doctor: {doctor/sentence|text}'),
                new Listing('doctor/findings', '{id|text} ({severity|text}): {message|text}'),
                new Pair(
                    new Lines(
                        "{$stage->value}-time",
                        'Response time',
                        'The mean of the requests that ended then. A gap: none ended. A cross: some failed.',
                        ['from_s', 'seconds'],
                        'millis',
                        ['mean' => ['load/timeline', 'mean_ms']],
                        mark: $failures,
                    ),
                    new Lines(
                        "{$stage->value}-redis",
                        'Redis',
                        '',
                        ['at_s', 'seconds'],
                        'count',
                        [
                            'clients' => ['load/redis', 'clients'],
                            'new connections a second' => ['load/redis', 'connections_per_second'],
                        ],
                    ),
                ),
            ]), $stages),
        ]],
        'fixes' => ['The fixes, as printed', array_merge(...array_map(static fn (Stage $stage): array => [
            new Fold("{$stage->title()}: fixed: {fixed|text}", "parts/fixes/figures/mended/stage={$stage->value}", [
                new Listing('steps', '{check|text}: {text|text} Done: {done|text}'),
                new Table(
                    ['then', ...$headings, 'finding gone'],
                    [['{check|text} as printed', ...$row('load'), '{gone|text}']],
                    list: 'steps',
                ),
            ]),
        ], [Stage::Baseline, Stage::Keepalive]))],
    ],
    [
        'Whether the doctor would have found the fault of the published stack, which this experiment does not have.'
            .' Redis is behind a proxy whose delays were chosen so that 350 users wait for about 8 seconds. The doctor'
            .' does not know the delays.',
        'How a production server behaves: nginx, PHP-FPM, Redis and the client share one machine, and nginx and'
            .' PHP-FPM have a quota of one core, then two.',
        'How the means compare with the published ones: here a request ends after 8 s and counts as 8 s.',
        'What more cores gain where the CPU is the limit: here the limit is Redis.',
        'How much two runs of a stage differ, except for the baseline, which "Packages updated" repeats.',
    ],
);
