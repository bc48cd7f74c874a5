<?php

declare(strict_types=1);

/*
 * Queue drivers compared: `make bench-queues`, or `QUICK=1 make bench-queues` for a short form. PART names the parts to
 * run, with commas between them: the scenarios of headroom:bench:queues, and by-hand. Needs MariaDB, PostgreSQL,
 * Redis and beanstalkd.
 */

use Headroom\Bench\Machine;
use Headroom\Bench\Queues\Given;
use Headroom\Bench\Queues\Scenario;
use Headroom\Bench\Results\Origin;
use Headroom\Bench\Results\Piece;
use Headroom\Benchmarks\Queues\Artisan;
use Headroom\Benchmarks\Queues\ByHand;
use Headroom\Benchmarks\Queues\Figures;
use Headroom\Benchmarks\Queues\QueueReport;
use Headroom\Benchmarks\Results;
use Headroom\Benchmarks\Script;
use Headroom\Benchmarks\Signals;
use Headroom\Core\SystemClock;
use Symfony\Component\Process\Process;

require dirname(__DIR__, 2).'/vendor/autoload.php';

Signals::endTidily();

const BY_HAND = 'by-hand';
/** The median of ten leaves the quartiles by chance for one driver in four, where nothing differs. */
const BY_HAND_ROUNDS = 40;
/** What is compared is those two, of which one keeps jobs on disk: all five would say the same. */
const CACHE_DRIVERS = 'redis,database:mariadb';
$parts = [...array_map(static fn (Scenario $scenario): string => $scenario->value, Scenario::cases()), BY_HAND];
$isQuick = ! in_array(getenv('QUICK'), [false, '', '0'], true);
$chosen = array_values(array_filter(
    array_map(trim(...), explode(',', (string) getenv('PART'))),
    static fn (string $part): bool => $part !== '',
));

if (($unknown = array_diff($chosen, $parts)) !== []) {
    fwrite(STDERR, 'PART has '.implode(', ', $unknown).'. Parts are '.implode(', ', $parts).".\n");
    exit(2);
}

// A quick run has what shows that it works: the question that the article asked.
$chosen = $chosen !== []
    ? $chosen
    : ($isQuick ? [Scenario::Empty->value, Scenario::Slow->value, Scenario::Arrivals->value] : $parts);
$full = new Given;
$given = $isQuick ? new Given(1_000, 2, $full->workers, 3, 50_000) : $full;
// Beside the main question runs may be shorter.
$others = $isQuick ? $given : new Given(2_000, 5, $full->workers, $full->runs, $full->deep);
$clock = new SystemClock;
$git = new Process(['git', '-C', __DIR__, 'describe', '--always', '--dirty']);
$git->run();
$machine = Machine::describe(trim($git->getOutput()), $clock);
$results = Script::orEnd(static fn (): Results => Results::of('queues', $isQuick ? $chosen : $parts, $isQuick));
$artisan = new Artisan;
$options = static fn (Given $given): array => [
    "--jobs={$given->jobs}",
    '--seconds='.(int) $given->seconds,
    "--workers={$given->workers}",
    "--runs={$given->runs}",
    "--deep={$given->deep}",
];

foreach ($chosen as $part) {
    fwrite(STDERR, "\n== {$part}\n");

    if ($part === BY_HAND) {
        $rows = (new ByHand($full->workers, $isQuick ? 2 : BY_HAND_ROUNDS, $isQuick ? 2 : 4, $clock))->run();
        $results->add(
            $part,
            [
                'figures' => ['given' => $full->toArray(), 'rows' => $rows],
                'result' => [
                    'by_hand_differences' => count(array_filter(
                        $rows,
                        static fn (array $row): bool => $row['difference_seen'],
                    )),
                    'by_hand_within_iqr' => count(array_filter(
                        $rows,
                        static fn (array $row): bool => $row['within_iqr'],
                    )),
                ],
            ],
            $machine,
        );
    } else {
        $scenario = Scenario::from($part);
        $with = $scenario === Scenario::Deep ? $full : ($scenario === Scenario::Empty ? $given : $others);
        $with = $scenario === Scenario::Deep && $isQuick ? $given : $with;
        $document = $artisan->json(
            'headroom:bench:queues',
            '--with-servers',
            "--scenario={$part}",
            ...$options($with),
            ...($scenario === Scenario::Cache ? ['--drivers='.CACHE_DRIVERS] : []),
        );
        $findings = $document['scenarios'][$part];
        $machine = [
            ...$machine,
            'laravel' => $document['machine']['laravel'],
            'cache_store' => $document['machine']['cache_store'],
        ];
        $results->add(
            $part,
            [
                'figures' => ['given' => $with->toArray(), 'findings' => $findings],
                'result' => Figures::result($scenario, $findings),
            ],
            $machine,
        );
    }

    $results->save(); // so that a later part that fails costs itself only
}

$artisan->remove();
fwrite(
    STDERR,
    "\n".implode(
        "\n",
        Figures::lines(Piece::of($results->measuredNow(), new Origin('headroom:bench:queues --json', 'queues'))),
    )."\n\nReport: ".Script::orEnd(static fn (): string => QueueReport::write($results->path))."\n",
);
echo "{$machine['cpu']}, {$machine['cores']} cores, {$machine['kernel']}, PHP {$machine['php']}\n";
echo 'RESULT ', json_encode($results->line(), JSON_THROW_ON_ERROR), "\n";
