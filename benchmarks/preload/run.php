<?php

declare(strict_types=1);

/*
 * What preloading is worth, strategy by strategy: make bench-preload, or QUICK=1 make bench-preload for a short form.
 * Needs nginx and PHP-FPM. The README says how it is measured.
 */

use Headroom\Bench\Machine;
use Headroom\Bench\Preload\Comparison;
use Headroom\Bench\Preload\Effort;
use Headroom\Bench\Preload\FindingsTable;
use Headroom\Benchmarks\Preload\HotFiles;
use Headroom\Benchmarks\Preload\Made;
use Headroom\Benchmarks\Preload\Pages;
use Headroom\Benchmarks\Preload\Releases;
use Headroom\Benchmarks\Preload\Report\Page;
use Headroom\Benchmarks\Preload\Summary;
use Headroom\Benchmarks\Results;
use Headroom\Benchmarks\Script;
use Headroom\Benchmarks\Signals;
use Headroom\Core\SystemClock;
use Headroom\Preload\Strategy;
use Symfony\Component\Process\Process;

require dirname(__DIR__, 2).'/vendor/autoload.php';

Signals::endTidily();

$isQuick = ! in_array(getenv('QUICK'), [false, '', '0'], true);
// Shorter than what a user's own quick comparison takes: all experiments together shall take less
// than a quarter of an hour.
$effort = $isQuick
    ? new Effort(starts: 1, rounds: 4, requests: 5, restarts: 2, bursts: 2, burstSeconds: 0.5)
    : Effort::full();
$clock = new SystemClock;
$say = static function (string $words): void {
    fwrite(STDERR, $words."\n");
};
$git = new Process(['git', '-C', __DIR__, 'describe', '--always', '--dirty']);
$git->run();
$machine = Machine::describe(trim($git->getOutput()), $clock);
$say('Deploying the workbench with three autoloaders');
$releases = Releases::deploy();

try {
    $base = $releases->variant(Releases::AUTHORITATIVE);
    $variants = [$releases->variant(Releases::OPTIMIZED), $releases->variant(Releases::PLAIN)];
    $made = [];

    foreach (Strategy::cases() as $strategy) {
        $say("The list '{$strategy->value}'");
        [$variants[], $made[$strategy->value]] = (new Made(
            $releases,
            $clock,
            static fn (string $words) => $say("  {$words}"),
        ))->variant($strategy, Pages::all());
    }

    $say("The article's list");
    $script = HotFiles::script($base, Pages::all());
    $variants[] = $base->preloading(
        Summary::ARTICLE,
        $releases->write(Releases::AUTHORITATIVE, 'bootstrap/cache/preload-article.php', $script),
    );
    $findings = (new Comparison(
        $base,
        $variants,
        Pages::measured(),
        Pages::loaded(),
        Pages::all(),
        max(1, (int) $machine['cores']),
        $say,
    ))->run($effort);
} finally {
    $releases->remove();
}

$summary = new Summary($findings, $made);
$results = Script::orEnd(static fn (): Results => Results::of('preload', ['strategies'], $isQuick));
$results->add(
    'strategies',
    [
        'figures' => [
            'effort' => $effort->toArray(),
            'ini' => $base->ini(),
            'made' => $made,
            'refused' => $findings->refused,
            'findings' => $summary->findings(),
        ],
        'result' => $summary->result(),
    ],
    $machine,
);
$results->save();
echo "\n", implode("\n", [...(new FindingsTable($findings))->lines(), '', ...$summary->lines()]), "\n\n";
$say('Report: '.Script::orEnd(static fn (): string => Page::write($results->path)));
echo "{$machine['cpu']}, {$machine['cores']} cores, {$machine['kernel']}, PHP {$machine['php']}\n";
echo 'RESULT ', json_encode($results->line(), JSON_THROW_ON_ERROR), "\n";
