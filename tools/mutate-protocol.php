<?php

declare(strict_types=1);

use Headroom\Core\SystemClock;
use Headroom\Tests\Fault\Support\Mutation;
use Headroom\Tests\Fault\Support\RemovedDirectory;
use Headroom\Tests\Support\CompiledOnce;
use Symfony\Component\Process\Process;

/*
 * Removes one guard of the buffer's protocol at a time from a copy of src/ and runs the test that should notice.
 * A guard whose removal no test notices is either not needed or not tested: exit code 1.
 *
 * php tools/mutate-protocol.php [part of a guard's name]
 */
$root = dirname(__DIR__);

require "{$root}/vendor/autoload.php";

$clock = new SystemClock;
$copy = sys_get_temp_dir().'/headroom-mutations-'.bin2hex(random_bytes(6));
(new Process(['cp', '-R', "{$root}/src", $copy]))->mustRun();

/** @return array{?bool, float} whether all was green, null when every test was skipped, and seconds */
$run = static function (string $test) use ($root, $copy, $clock): array {
    [$class, $method] = explode('::', $test);
    $from = $clock->monotonicNanos();
    $phpunit = new Process(
        [PHP_BINARY, 'vendor/bin/phpunit', '--bootstrap', 'tests/Fault/Support/autoload.php', '--do-not-cache-result', '--stop-on-defect', '--filter', "/::{$method}( |\$)/", "tests/Fault/{$class}.php"],
        $root,
        // Mutations are about the protocol, and SQLite is the database that is always there.
        [...CompiledOnce::environment(), 'HEADROOM_SRC' => $copy, 'CI' => false, 'HEADROOM_MARIADB_HOST' => false, 'HEADROOM_PGSQL_HOST' => false],
        timeout: 120,
    );
    $code = $phpunit->run();
    $output = $phpunit->getOutput();

    // 1 is a failure, 2 an error in a test; anything else is no verdict of a test.
    if (! in_array($code, [0, 1, 2], true) || preg_match('/^(OK|Tests: [1-9])/m', $output) !== 1) {
        throw new RuntimeException("{$test} could not be run, exit code {$code}: {$output} {$phpunit->getErrorOutput()}");
    }

    $isSkipped = preg_match('/^Tests: (\d+),.* Skipped: (\d+)/m', $output, $m) === 1 && $m[1] === $m[2];

    return [$isSkipped ? null : $code === 0, ($clock->monotonicNanos() - $from) / 1e9];
};

$mutations = array_filter(Mutation::all(), static fn (Mutation $mutation): bool => str_contains($mutation->name, $argv[1] ?? ''));
$survivors = [];
$skipped = [];

try {
    foreach (array_unique(array_map(static fn (Mutation $mutation): string => $mutation->test, $mutations)) as $test) {
        $isGreen = $run($test)[0];

        if ($isGreen === null) {
            $skipped[] = $test;
        } elseif (! $isGreen) {
            throw new RuntimeException("{$test} is red with all guards in place: vendor/bin/phpunit --filter ".explode('::', $test)[1]);
        }
    }

    printf("%-30s %-8s %7s  %s\n", 'guard removed', 'test', 'seconds', '');

    foreach ($mutations as $n => $mutation) {
        if (in_array($mutation->test, $skipped, true)) {
            printf("%-30s %-8s %7s  %s\n", $mutation->name, 'skipped', '', $mutation->test);
            unset($mutations[$n]);

            continue;
        }

        $path = "{$copy}/{$mutation->file}";
        $source = (string) file_get_contents($path);

        if (substr_count($source, $mutation->guard) !== 1) {
            throw new RuntimeException("The guard '{$mutation->name}' is not to be found exactly once in src/{$mutation->file}: {$mutation->guard}");
        }

        file_put_contents($path, str_replace($mutation->guard, $mutation->without, $source));
        (new Process([PHP_BINARY, '-l', $path]))->mustRun();
        [$green, $seconds] = $run($mutation->test);
        file_put_contents($path, $source);
        printf("%-30s %-8s %7.2f  %s\n", $mutation->name, $green === true ? 'GREEN' : 'red', $seconds, $mutation->test);
        $survivors = [...$survivors, ...($green === true ? [$mutation->name] : [])];
    }
} finally {
    RemovedDirectory::remove($copy);
}

printf("%d guards, %d noticed.%s%s\n", count($mutations), count($mutations) - count($survivors), $survivors === [] ? '' : ' Not noticed: '.implode(', ', $survivors).'.', $skipped === [] ? '' : ' Skipped for want of strace: '.implode(', ', array_unique($skipped)).'.');

exit($survivors === [] ? 0 : 1);
