<?php

declare(strict_types=1);

/*
 * The gain of preloading, by strategy: make bench-preload, or QUICK=1 make bench-preload for a short form.
 * Needs nginx and PHP-FPM. The README says how it is measured.
 */

use Headroom\Bench\Preload\MeasurementPlan;
use Headroom\Bench\Preload\PreloadBenchmark;
use Headroom\Benchmarks\Preload\HotFiles;
use Headroom\Benchmarks\Preload\Pages;
use Headroom\Benchmarks\Preload\Releases;
use Headroom\Benchmarks\Preload\StrategyList;
use Headroom\Benchmarks\Preload\Summary;
use Headroom\Benchmarks\Run;
use Headroom\Core\SystemClock;
use Headroom\Preload\Strategy;

require dirname(__DIR__, 2).'/vendor/autoload.php';

$run = Run::of('preload', ['strategies'], ['ways']);
// Shorter than a user's own quick comparison: all experiments together must take less than a quarter of an hour.
$effort = $run->isQuick
    ? new MeasurementPlan(starts: 1, rounds: 4, requests: 5, restarts: 2, bursts: 2, burstSeconds: 0.5)
    : MeasurementPlan::full();
$clock = new SystemClock;
$log = Run::log(...);
$log('Deploying the workbench with three autoloaders');
$releases = Releases::deploy();

try {
    $base = $releases->variant(Releases::AUTHORITATIVE);
    $variants = [$releases->variant(Releases::OPTIMIZED), $releases->variant(Releases::PLAIN)];
    $made = [];

    foreach (Strategy::cases() as $strategy) {
        $log("The list '{$strategy->value}'");
        [$variants[], $made[$strategy->value]] = (new StrategyList(
            $releases,
            $clock,
            static fn (string $words) => $log("  {$words}"),
        ))->variant($strategy, Pages::all());
    }

    $log('The list of Laraload');
    $script = HotFiles::script($base, Pages::all());
    $variants[] = $base->preloading(
        Summary::ARTICLE,
        $releases->write(Releases::AUTHORITATIVE, 'bootstrap/cache/preload-article.php', $script),
    );
    $findings = (new PreloadBenchmark(
        $base,
        $variants,
        Pages::measured(),
        Pages::loaded(),
        Pages::all(),
        max(1, (int) $run->machine['cores']),
        $log,
    ))->run($effort);
} finally {
    $releases->remove();
}

$summary = new Summary($findings, $made);
$run->measure(['strategies' => static fn (): array => [
    'figures' => [
        'effort' => $effort->toArray(),
        'ini' => $base->ini(),
        'made' => $made,
        'refused' => $findings->refused,
        'findings' => $summary->findings(),
    ],
    'result' => $summary->result(),
]]);
