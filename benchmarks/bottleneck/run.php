<?php

declare(strict_types=1);

/*
 * The proof of the doctor: `make bench-bottleneck`, or `QUICK=1 make bench-bottleneck` for a short form. PART names the
 * parts to run, with commas between them: stages, fixes, planted. Needs nginx, PHP-FPM and redis-server.
 */

use Headroom\Bench\Machine;
use Headroom\Benchmarks\Bottleneck\ArticlesTest;
use Headroom\Benchmarks\Bottleneck\Elsewhere;
use Headroom\Benchmarks\Bottleneck\Line;
use Headroom\Benchmarks\Bottleneck\Report\Page;
use Headroom\Benchmarks\Bottleneck\Report\Rows;
use Headroom\Benchmarks\Bottleneck\Score;
use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Benchmarks\Bottleneck\Stages;
use Headroom\Benchmarks\Results;
use Headroom\Benchmarks\Script;
use Headroom\Benchmarks\Signals;
use Headroom\Core\SystemClock;
use Symfony\Component\Process\Process;

require dirname(__DIR__, 2).'/vendor/autoload.php';

Signals::endTidily();

const PARTS = ['stages', 'fixes'];
/** Only when they are named: they have a command of their own. */
const OTHERS = ['planted'];
$root = dirname(__DIR__, 2);
$isQuick = ! in_array(getenv('QUICK'), [false, '', '0'], true);
$chosen = array_values(array_filter(
    array_map(trim(...), explode(',', (string) getenv('PART'))),
    static fn (string $part): bool => $part !== '',
));

if (($unknown = array_diff($chosen, PARTS, OTHERS)) !== []) {
    fwrite(STDERR, 'PART has '.implode(', ', $unknown).'. Parts are '.implode(', ', [...PARTS, ...OTHERS]).".\n");
    exit(2);
}

$say = static function (string $words): void {
    fwrite(STDERR, $words."\n");
};
$line = new Line;
$samples = $isQuick ? 700 : 1750;
$stages = new Stages($line, $samples, $say);
$given = [
    'users' => ArticlesTest::USERS,
    'limit_s' => ArticlesTest::LIMIT_SECONDS,
    'samples' => $samples,
    'line' => $line->toArray(),
];

$parts = [
    'stages' => static function () use ($stages, $given, $isQuick): array {
        // The one that everything is compared with, what made it worse, and what ended it.
        $rows = $stages->run(...array_filter(
            Stage::cases(),
            static fn (Stage $stage): bool => ! $isQuick
                || in_array($stage, [Stage::Baseline, Stage::Keepalive, Stage::Persistent], true),
        ));
        $score = new Score($rows);

        return ['figures' => [...$given, 'stages' => $rows], 'result' => [
            'stages' => count($rows),
            'stages_ill' => $score->ill(),
            'stages_named' => $score->named(),
            'stages_false_alarms' => $score->falseAlarms(),
            'seconds_to_cause' => $score->secondsToCause(),
        ]];
    },
    'fixes' => static function () use ($stages, $given): array {
        $rows = [$stages->mended(Stage::Baseline, 'R1'), $stages->mended(Stage::Keepalive, 'N5', 'R1')];

        return ['figures' => [...$given, 'mended' => $rows], 'result' => [
            'stages_mended' => count($rows),
            'stages_fixed_by_text' => count(array_filter($rows, static fn (array $row): bool => $row['fixed'])),
        ]];
    },
    'planted' => static function () use ($root): array {
        $suite = new Process(['make', 'planted-faults'], $root, timeout: null);
        $suite->run();

        // What was found and mended, it says in a file of its own, which is read below. It ends with 1 where a figure
        // is not what it has to be.
        return [
            'figures' => [
                'passed' => $suite->isSuccessful(),
                'tail' => array_slice(explode("\n", trim($suite->getOutput().$suite->getErrorOutput())), -6),
            ],
            'result' => [],
        ];
    },
];

$git = new Process(['git', '-C', __DIR__, 'describe', '--always', '--dirty']);
$git->run();
$machine = Machine::describe(trim($git->getOutput()), new SystemClock);
$results = Script::orEnd(static fn (): Results => Results::of('bottleneck', PARTS, $isQuick, OTHERS));

foreach (array_intersect_key($parts, array_flip($chosen === [] ? PARTS : $chosen)) as $name => $run) {
    $say(ucfirst($name));
    $results->add($name, $run(), $machine);
    $results->save(); // so that a later part that fails costs itself only
}

$elsewhere = new Elsewhere("{$root}/benchmarks/results", "{$root}/build/planted-faults.json");
$header = [
    '| stage | errors | mean | Redis clients | new per second | CPUs busy | the doctor named |',
    '|---|---|---|---|---|---|---|',
];
$say(implode("\n", ['', ...$header, ...Rows::of(['parts' => $results->measuredNow()]), '']));
$say('Report: '.Script::orEnd(static fn (): string => Page::write($results->path)));
$say('Measured elsewhere: '.json_encode($elsewhere->dates(), JSON_THROW_ON_ERROR));
echo 'RESULT ', json_encode([...$results->line(), ...$elsewhere->figures()], JSON_THROW_ON_ERROR), "\n";
