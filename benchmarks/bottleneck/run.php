<?php

declare(strict_types=1);

/*
 * The proof of the doctor: `make bench-bottleneck`, or `QUICK=1 make bench-bottleneck` for a short form. PART names the
 * parts to run, with commas between them: stages, fixes, planted. Needs nginx, PHP-FPM and redis-server.
 */

use Headroom\Benchmarks\Bottleneck\OtherResults;
use Headroom\Benchmarks\Bottleneck\RedisDelay;
use Headroom\Benchmarks\Bottleneck\Score;
use Headroom\Benchmarks\Bottleneck\Stage;
use Headroom\Benchmarks\Bottleneck\Stages;
use Headroom\Benchmarks\Bottleneck\UserLoad;
use Headroom\Benchmarks\Run;
use Symfony\Component\Process\Process;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const PARTS = ['stages', 'fixes'];
/** These run only if PART names them: they have a command of their own. */
const OTHERS = ['planted'];
$root = dirname(__DIR__, 2);
$run = Run::of('bottleneck', PARTS, OTHERS);
$isQuick = $run->isQuick;
$line = new RedisDelay;
$samples = $isQuick ? 700 : 1750;
$stages = new Stages($line, $samples, Run::log(...));
$given = [
    'users' => UserLoad::USERS,
    'limit_s' => UserLoad::LIMIT_SECONDS,
    'samples' => $samples,
    'line' => $line->toArray(),
];

$parts = [
    'stages' => static function () use ($stages, $given, $isQuick): array {
        // The baseline, the stage that made it worse, and the stage that ended it.
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
        $rows = [$stages->fixed(Stage::Baseline, 'R1'), $stages->fixed(Stage::Keepalive, 'N5', 'R1')];

        return ['figures' => [...$given, 'mended' => $rows], 'result' => [
            'stages_mended' => count($rows),
            'stages_fixed_by_text' => count(array_filter($rows, static fn (array $row): bool => $row['fixed'])),
        ]];
    },
    'planted' => static function () use ($root): array {
        $suite = new Process(['make', 'planted-faults'], $root, timeout: null);
        $suite->run();

        // The suite writes the faults that it found and fixed to a file, which OtherResults reads. It ends with 1 if
        // a figure is wrong.
        return [
            'figures' => [
                'passed' => $suite->isSuccessful(),
                'tail' => array_slice(explode("\n", trim($suite->getOutput().$suite->getErrorOutput())), -6),
            ],
            'result' => [],
        ];
    },
];

$elsewhere = new OtherResults("{$root}/benchmarks/results", "{$root}/build/planted-faults.json");
$run->measure($parts, more: static function () use ($elsewhere): array {
    Run::log('Measured elsewhere: '.json_encode($elsewhere->dates(), JSON_THROW_ON_ERROR));

    return $elsewhere->figures();
});
