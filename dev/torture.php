<?php

declare(strict_types=1);

use Headroom\Bench\Machine;
use Headroom\Core\SystemClock;
use Symfony\Component\Process\Process;

/*
 * Runs everything that tries to make the buffer lose or duplicate an event, in its long form, on one database after
 * another: random kills, also of the database server; a kill at each system call and again during recovery; disk
 * faults; disks that were restored or copied; rows that the database rejects; and the removal of each guard.
 *
 * bin/services run mariadb mysql pgsql -- php dev/torture.php [sqlite] [mariadb] [mysql] [pgsql]
 *
 * Random kills run for HEADROOM_TORTURE_SECONDS (600) per database, and for up to three times as long until a million
 * events are acknowledged and 1,000 writers and 500 flushers killed.
 */
$root = dirname(__DIR__);

require "{$root}/vendor/autoload.php";

$seconds = max(
    1,
    (int) (in_array(getenv('HEADROOM_TORTURE_SECONDS'), [false, ''], true) ? 600 : getenv('HEADROOM_TORTURE_SECONDS')),
);
// The running servers of bin/services. A database that an argument names must be running.
$servers = ['mariadb', 'mysql', 'pgsql'];
$running = array_filter(
    $servers,
    static fn (string $name): bool => getenv('HEADROOM_'.strtoupper($name).'_HOST') !== false,
);
$databases = array_slice($argv, 1) === [] ? ['sqlite', ...array_values($running)] : array_slice($argv, 1);
$left = array_diff($servers, $databases);
fwrite(STDERR, $left === [] ? '' : 'Left out: '.implode(', ', $left)."\n");
$keys = [
    'acknowledged', 'writer_kills', 'flusher_kills', 'server_kills', 'lost', 'double', 'forks', 'forks_silent',
    'poison_rows', 'poison_blocked', 'crash_points',
];
$results = [];
$red = [];

$run = static function (string $what, Process $process) use (&$red): string {
    fwrite(STDERR, "\n== {$what}\n");
    $output = '';
    $process->run(static function (string $type, string $chunk) use (&$output): void {
        $output .= $chunk;
        fwrite(STDERR, $chunk);
    });

    if (! $process->isSuccessful()) {
        $red[] = $what;
    }

    return $output;
};

foreach ($databases as $database) {
    $counts = (string) tempnam(sys_get_temp_dir(), 'headroom-torture-');
    $results[$database] = array_fill_keys($keys, 0);

    $also = $database === 'sqlite' ? 'DiskFaultTest' : 'KilledDatabaseTest';

    foreach (['RandomKillTest', 'RedisKillTest', 'CrashPointTest', 'ForkTest', 'PoisonRowsTest', $also] as $test) {
        $command = [
            PHP_BINARY, 'vendor/bin/phpunit', '--do-not-cache-result', '--colors=never', "tests/Fault/{$test}.php",
        ];
        $run("{$database}: {$test}", new Process($command, $root, [
            // A missing database or strace must fail the run instead of skipping a test.
            'CI' => 'true',
            'HEADROOM_TORTURE' => '1',
            'HEADROOM_TORTURE_SECONDS' => (string) $seconds,
            'HEADROOM_TORTURE_DATABASE' => $database,
            'HEADROOM_TORTURE_COUNTS' => $counts,
        ], timeout: null));
    }

    foreach (explode("\n", trim((string) file_get_contents($counts))) as $line) {
        /** @var array<string, int> $counted written by Torture; empty if a test ended before it counted */
        $counted = $line === '' ? [] : json_decode($line, true, 2, JSON_THROW_ON_ERROR);

        foreach ($counted as $key => $count) {
            $results[$database][$key] = ($results[$database][$key] ?? 0) + $count;
        }
    }

    unlink($counts);
}

// Guards belong to the protocol and not to a database, so they are removed once, on SQLite.
$said = $run('mutations', new Process([PHP_BINARY, 'dev/mutate-protocol.php'], $root, timeout: null));
$guards = preg_match('/^(\d+) guards, (\d+) noticed/m', $said, $m) === 1 ? [(int) $m[1], (int) $m[2]] : [0, 0];
$first = $databases[0];
$results[$first] += ['mutations' => $guards[0], 'mutations_caught' => $guards[1]];

$git = new Process(['git', '-C', $root, 'describe', '--always', '--dirty']);
$git->run();
file_put_contents("{$root}/benchmarks/results/torture.json", json_encode([
    'experiment' => 'torture',
    'seconds' => $seconds,
    'machine' => Machine::describe(trim($git->getOutput()), new SystemClock),
    'red' => $red,
    'result' => $results,
], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR)."\n");

printf(
    "\n%-18s%s\n",
    '',
    implode('', array_map(static fn (string $database): string => sprintf('%14s', $database), $databases)),
);

foreach ([...$keys, 'disk_faults', 'mutations', 'mutations_caught'] as $key) {
    printf(
        "%-18s%s\n",
        $key,
        implode(
            '',
            array_map(
                static fn (array $result): string
                    => sprintf('%14s', isset($result[$key]) ? number_format($result[$key]) : '-'),
                $results,
            ),
        ),
    );
}

echo $red === [] ? '' : "\nRed: ".implode(', ', $red)."\n";
echo 'RESULT ', json_encode(['torture' => $results], JSON_THROW_ON_ERROR), "\n";

exit($red === [] ? 0 : 1);
