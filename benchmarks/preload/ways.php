<?php

declare(strict_types=1);

/**
 * Preloading, opcache's file cache and an application that stays in memory: php benchmarks/preload/ways.php, some ten
 * minutes, or one with QUICK=1. Needs PHP-FPM. The README says how it is measured.
 */

use Headroom\Bench\PairedComparison;
use Headroom\Bench\Preload\MeasurementPlan;
use Headroom\Bench\Preload\PreloadBenchmark;
use Headroom\Bench\Preload\PreloadVariant;
use Headroom\Bench\Preload\VariantPool;
use Headroom\Benchmarks\Preload\KeptApplication;
use Headroom\Benchmarks\Preload\Pages;
use Headroom\Benchmarks\Preload\Releases;
use Headroom\Benchmarks\Preload\StrategyList;
use Headroom\Benchmarks\Run;
use Headroom\Core\SystemClock;
use Headroom\Preload\Strategy;
use Headroom\Preload\TargetApplication;
use Headroom\Process\TemporaryDirectory;

require dirname(__DIR__, 2).'/vendor/autoload.php';

$run = Run::of('preload', ['strategies'], ['ways']);
$effort = $run->isQuick ? new MeasurementPlan(1, 4, 5, 2, 1, 0.5) : new MeasurementPlan(3, 10, 10, 12, 1, 0.5);
$clock = new SystemClock;
$log = Run::log(...);
$releases = Releases::deploy();
$base = $releases->variant(Releases::AUTHORITATIVE);
$caches = array_map(
    static fn (string $name): TemporaryDirectory => TemporaryDirectory::create($name, $base->site->account),
    ['file cache' => 'filecache', 'file cache only' => 'filecacheonly'],
);

try {
    [$list] = (new StrategyList($releases, $clock, $log))->variant(Strategy::Hot, Pages::all());
    $cached = static fn (string $name, array $ini): PreloadVariant => new PreloadVariant($name, new TargetApplication(
        $base->site->root,
        $base->site->frontController,
        account: $base->site->account,
        ini: ['opcache.file_cache' => $caches[$name]->work, ...$ini],
    ));
    $variants = [
        $list,
        $cached('file cache', []),
        $cached('file cache only', ['opcache.file_cache_only' => true]),
    ];
    $findings = (new PreloadBenchmark($base, $variants, Pages::measured(), [], Pages::all(), 1, $log))->run($effort);
    $kept = [];
    $pool = VariantPool::start($base, $clock);
    $application = KeptApplication::start($base);

    try {
        $application->warm(Pages::measured());
        $pairs = [];

        foreach (Pages::measured() as $page) {
            $pool->sample($page, 25, 0);
            $answers = [$pool->ask($page)->status, $application->ask($page)[0]];
            count(array_unique($answers)) === 1
                || throw new RuntimeException(
                    "{$page->name()} answers {$answers[1]} when it is kept, and {$answers[0]} otherwise.",
                );

            for ($round = 0; $round < $effort->starts * $effort->rounds; $round++) {
                $pairs[$page->name()][0][] = $pool->sample($page, $effort->requests, 3)->cpuMicros;
                $pairs[$page->name()][1][] = $application->sample($page, $effort->requests)->cpuMicros;
            }

            $kept[$page->name()] = PairedComparison::of(...$pairs[$page->name()]);
        }
    } finally {
        $application->stop();
        $pool->stop();
    }
} finally {
    array_map(static fn (TemporaryDirectory $cache) => $cache->remove(), $caches);
    $releases->remove();
}

$result = [];

foreach ($findings->all() as $finding) {
    foreach ($finding->costs as $page => $cost) {
        $result["{$finding->variant}, {$page}"] = round($cost->compared->ratio(), 3);
    }

    $result["{$finding->variant}, first request"] = round($finding->first->ratio(), 3);
}

foreach ($kept as $page => $paired) {
    $result["kept in memory, {$page}"] = round($paired->ratio(), 3);
}

$run->measure(['ways' => static fn (): array => [
    'figures' => [
        'effort' => $effort->toArray(),
        'findings' => array_map(static fn ($finding): array => $finding->toArray(), $findings->all()),
        'kept' => array_map(
            static fn (PairedComparison $paired): array => [...$paired->toArray(), 'seen' => $paired->isSeen()],
            $kept,
        ),
    ],
    'result' => ['ways' => $result],
]], ['ways']);
