<?php

declare(strict_types=1);

use Headroom\Bench\Machine;
use Headroom\Core\SystemClock;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Tests\Acceptance\Doctor\Planted\Catalogue;
use Headroom\Tests\Acceptance\Doctor\Planted\Outcome;
use Headroom\Tests\Acceptance\Doctor\Planted\Planting;
use Headroom\Tests\Acceptance\Doctor\Planted\Share;
use Headroom\Tests\Acceptance\Doctor\Planted\WorkingFaults;
use Symfony\Component\Process\Process;

/*
 * Breaks a real stack (nginx, PHP-FPM, Redis, MariaDB, a Laravel application) in each way of the catalogue, one at a
 * time: make planted-faults
 *
 * The doctor has to find each fault and nothing else, and its printed fix has to remove the fault. A near miss and an
 * intact stack must cause no alarm. Arguments select faults by a part of their names.
 * The table goes to stdout and ends with RESULT and a JSON object. The same object with all outcomes goes to
 * build/planted-faults.json, or to planted-faults-some.json if arguments select faults.
 * Several stacks are examined concurrently, each with processes, a network and a SQL server of its own (dev/alone.sh,
 * as root).
 */
const SHARES = 4;

$root = dirname(__DIR__);

require "{$root}/vendor/autoload.php";

$clock = new SystemClock;
$start = $clock->monotonicNanos();
$names = array_slice($argv, 1);
$isChosen = static fn (Planting $planting): bool => $names === []
    || array_filter($names, static fn (string $name): bool => str_contains($planting->name, $name)) !== [];
$chosen = [
    Planting::nothing(),
    ...array_values(array_filter([...Catalogue::nearMisses(), ...Catalogue::faults()], $isChosen)),
];
$count = min(SHARES, (int) ceil(count($chosen) / 4));
$shares = [];

if ($names !== [] && count($chosen) === 1) {
    fwrite(STDERR, 'planted-faults: no fault has '.implode(' or ', $names)." in its name\n");
    exit(2);
}

// Round robin, so that each share keeps the order of the catalogue.
foreach ($chosen as $number => $planting) {
    $shares[$number % $count][] = $planting;
}

$outcomes = Share::outcomes(
    array_values(array_map(Share::start(...), $shares)),
    static function (Outcome $outcome): void {
        echo "{$outcome->row()}\n";
    },
);
$kind = static fn (callable $is): array => array_values(array_filter($outcomes, $is));
[$nothing] = $kind(static fn (Outcome $outcome): bool => $outcome->planting->name === Planting::nothing()->name);
$serves = $nothing->isServing;
$near = $kind(static fn (Outcome $outcome): bool => $outcome->planting->rule === '' && $outcome !== $nothing);
$faults = $kind(static fn (Outcome $outcome): bool => $outcome->planting->rule !== '');
$all = [$nothing, ...$near, ...$faults];
$countOf = static fn (array $outcomes, callable $is): int => count(array_filter($outcomes, $is));
$isFixed = static fn (Outcome $outcome): bool => $outcome->isFixed === true;

$ids = CheckList::ofPackage()->ids();
$notPlanted = array_values(array_diff(
    $ids,
    array_map(static fn (Outcome $outcome): string => $outcome->planting->rule, $faults),
));

foreach ($names === [] ? $notPlanted : [] as $id) {
    printf("not planted: %-4s %s\n", $id, WorkingFaults::NOT_PLANTED[$id] ?? 'no reason given');
}

$result = [
    'planted' => count($faults),
    'rules' => count(array_unique(array_map(
        static fn (Outcome $outcome): string => $outcome->planting->rule,
        $faults,
    ))),
    'found' => $countOf($faults, static fn (Outcome $outcome): bool => $outcome->isFound && $outcome->false === []),
    'fixed_by_text' => $countOf($faults, $isFixed),
    'fix_is_prose' => $countOf(
        $faults,
        static fn (Outcome $outcome): bool => $outcome->planting->isProse && ! $isFixed($outcome),
    ),
    'near_misses' => count($near),
    'near_misses_reported' => $countOf($near, static fn (Outcome $outcome): bool => $outcome->false !== []),
    'clean_stack_findings' => count($nothing->false),
    'false_alarms' => array_sum(array_map(static fn (Outcome $outcome): int => count($outcome->false), $all)),
    'application_served' => $serves,
    'commands_left_out' => array_sum(array_map(static fn (Outcome $outcome): int => count($outcome->leftOut), $faults)),
    'rules_not_planted' => $names === [] ? $notPlanted : [],
    'not_as_it_should_be' => array_values(array_map(
        static fn (Outcome $outcome): string => $outcome->planting->name,
        array_filter($all, static fn (Outcome $outcome): bool => ! $outcome->isGood()),
    )),
    'seconds' => round(($clock->monotonicNanos() - $start) / 1e9),
];
$git = new Process(['git', '-C', $root, 'describe', '--always', '--dirty']);
$git->run();
is_dir("{$root}/build") || mkdir("{$root}/build");
file_put_contents(
    "{$root}/build/planted-faults".($names === [] ? '' : '-some').'.json',
    json_encode(
        $result
            + [
                'machine' => Machine::describe(trim($git->getOutput()), $clock),
                'outcomes' => array_map(static fn (Outcome $outcome): array => $outcome->toArray(), $all),
            ],
        JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR,
    )
        ."\n",
);
echo 'RESULT ', json_encode($result, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR), "\n";
exit($serves && $result['not_as_it_should_be'] === [] ? 0 : 1);
