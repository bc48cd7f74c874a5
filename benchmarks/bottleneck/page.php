<?php

declare(strict_types=1);

use Headroom\Benchmarks\Report\Bars;
use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Figures;
use Headroom\Benchmarks\Report\Fold;
use Headroom\Benchmarks\Report\Lines;
use Headroom\Benchmarks\Report\Listing;
use Headroom\Benchmarks\Report\Table;
use Headroom\Benchmarks\Report\Text;

/** Title, what was changed, published share of errors and mean in milliseconds, by stage. */
$stages = [
    'baseline' => [
        'Baseline', '25 PHP-FPM processes; each request makes one connection to Redis for the session and one for the'
            .' cache.', 0.5051, 9_929,
    ],
    'packages' => [
        'Packages updated', 'Nothing is newer here, so this is the baseline again: it shows how much two runs differ.',
        null, null,
    ],
    'keepalive' => [
        'nginx keeps connections to PHP-FPM', '`fastcgi_keep_conn on`, `keepalive 30` in each of two nginx workers, 40'
            .' PHP-FPM processes.', 0.8486, 566,
    ],
    'limits' => [
        'Larger backlog and limits', '`listen.backlog` 3072; `worker_connections`, `keepalive_requests` and'
            .' `pm.max_requests` 2048; opcache 512 MB; 40 processes. nginx no longer keeps connections.', 0.4867, 7_917,
    ],
    'cpus' => ['CPU quota doubled', 'nginx and PHP-FPM may use twice the CPU time.', 0.1527, 12_350],
    'files' => ['Session and cache in files', 'The control: nothing uses Redis.', 0.0003, 3_730],
    'persistent' => ['Persistent connections to Redis', '`REDIS_PERSISTENT=true`.', 0.0003, 3_730],
];
$list = 'parts/stages/figures/stages';
$at = static fn (string $stage): string => "{$list}/stage={$stage}";
$keys = array_keys($stages);
$titles = array_column($stages, 0);
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
    '350 users wait for a stack of nginx, PHP-FPM and Redis whose CPUs are idle, as in a published account of'
        .' four days of'
        .' searching. Each change that its authors tried is made again here. At each, `headroom:doctor --url` gets the'
        .' address of the application, and must name the cause.',
    'The doctor named the cause in {parts/stages/result/stages_named|count} of'
        .' {parts/stages/result/stages_ill|count} stages with a fault, after at most'
        .' {parts/stages/result/seconds_to_cause|seconds}, and raised'
        .' {parts/stages/result/stages_false_alarms|count|=0} false alarms. Persistent connections took failed requests'
        .' from {'.$at('baseline').'/load/error_rate|share} to {'.$at('persistent').'/load/error_rate|share}.',
    'make bench-bottleneck',
    'about fifteen minutes (seven with `QUICK=1`, with three of the stages)',
    [
        new Table(
            ['stage', 'published: failed', 'mean', 'here: failed', 'mean', 'CPUs busy', 'the doctor'],
            array_map(static fn (string $stage): array => [
                $stages[$stage][0],
                $stages[$stage][2] === null ? '–' : number_format(100 * $stages[$stage][2], 2).' %',
                $stages[$stage][3] === null ? '–' : number_format($stages[$stage][3]).' ms',
                "{{$at($stage)}/load/error_rate|share}",
                "{{$at($stage)}/load/mean_ms|millis}",
                "{{$at($stage)}/load/cpu_share|share}",
                "{{$at($stage)}/judged/words|text}\nright: {{$at($stage)}/judged/right|text}",
            ], $keys),
        ),
        new Bars('bottleneck-errors', 'Failed requests', 'Shorter is better.', 'share', $titles, [
            'here' => array_map(static fn (string $stage): string => "{$at($stage)}/load/error_rate", $keys),
            'published, other servers' => array_column($stages, 2),
        ]),
        Text::note(
            'Published: "Scaling Laravel and finding bottlenecks" (2020; staging servers of 2 and 8 cores, PHP-FPM 7.4,'
                .' JMeter). It gives 0.03 % and 3,730 ms once, after both of the last two changes,'
                .' and no figures for the'
                .' updated packages. Its users were counted as failed after 8 s, and waited on;'
                .' here a request ends then.',
        ),
        Text::of(
            'The fixes were then applied as the doctor prints them: {parts/fixes/result/stages_fixed_by_text|count} of'
                .' {parts/fixes/result/stages_mended|count} stages had less than 1 % of failed requests afterwards.',
        ),
    ],
    [
        'stages' => ['Each stage', [
            new Table(
                ['stage', ...$headings],
                array_map(static fn (string $stage): array
                    => [$stages[$stage][0], ...$row("{$at($stage)}/load")], $keys),
            ),
            ...array_map(static fn (string $stage): Fold => new Fold($stages[$stage][0], $at($stage), [
                Text::of("{$stages[$stage][1]} CPU: {quota|text}."),
                Text::lead('The doctor: {doctor/sentence|text}'),
                new Listing('doctor/findings', '{id|text} ({severity|text}): {message|text}'),
                new Lines(
                    "{$stage}-time",
                    'Response time',
                    'The mean of the requests that ended then. A gap: none ended. A cross: some of them failed.',
                    ['from_s', 'seconds'],
                    'millis',
                    ['mean' => ['load/timeline', 'mean_ms']],
                    mark: $failures,
                ),
                new Lines(
                    "{$stage}-redis",
                    'Redis',
                    '',
                    ['at_s', 'seconds'],
                    'count',
                    [
                        'clients' => ['load/redis', 'clients'],
                        'new connections a second' => ['load/redis', 'connections_per_second'],
                    ],
                ),
            ]), $keys),
        ]],
        'fixes' => ['The fixes, as printed', array_merge(...array_map(static fn (string $stage): array => [
            new Fold("{$stages[$stage][0]}: fixed: {fixed|text}", "parts/fixes/figures/mended/stage={$stage}", [
                new Listing('steps', '{check|text}: {text|text} Done: {done|text}'),
                new Table(
                    ['then', ...$headings, 'finding gone'],
                    [['{check|text} as printed', ...$row('load'), '{gone|text}']],
                    list: 'steps',
                ),
            ]),
        ], ['baseline', 'keepalive']))],
    ],
    [
        'That the doctor would have found the fault of the published stack, which is not here.'
            .' Redis is behind a proxy with'
            .' delays of our own choosing, such that 350 users wait for about 8 seconds.'
            .' The doctor does not know them.',
        'How a production server behaves: nginx, PHP-FPM, Redis and the client share one machine, and nginx and'
            .' PHP-FPM have'
            .' a quota of one core, then two.',
        'Means that compare with the published ones: a request ends after 8 s here and counts as 8 s.',
        'What more cores bring where the CPU is the limit. Here the limit is Redis.',
        'How much two runs of a stage differ, except for the baseline, which "Packages updated" repeats.',
    ],
);
