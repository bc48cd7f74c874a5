<?php

declare(strict_types=1);

use Headroom\Core\SystemClock;
use Headroom\Tests\Fault\Support\Mutation;
use Headroom\Tests\Fault\Support\RemovedDirectory;
use Headroom\Tests\Support\CompiledOnce;
use Symfony\Component\Process\Process;

/*
 * Removes one guard of the buffer's protocol at a time from a copy of src/, and runs the test that should detect it.
 * If no test detects the removal, the guard is either not needed or not tested: exit code 1.
 *
 * php dev/mutate-protocol.php [part of a guard's name]
 */
$root = dirname(__DIR__);

require "{$root}/vendor/autoload.php";

$clock = new SystemClock;
$copy = sys_get_temp_dir().'/headroom-mutations-'.bin2hex(random_bytes(6));
(new Process(['cp', '-R', "{$root}/src", $copy]))->mustRun();

/**
 * @param non-empty-list<string> $tests class, "::" and method, optionally with the name of a data set
 * @return array{?bool, string} true if all tests passed, null if all were skipped; and PHPUnit's output
 */
$run = static function (array $tests, string $end, string ...$arguments) use ($root, $copy): array {
    /** @var non-empty-list<string> $tests */
    $classes = array_unique(array_map(static fn (string $test): string => explode('::', $test)[0], $tests));
    $names = implode('|', array_map(static fn (string $test): string => preg_quote($test, '/'), $tests));
    $phpunit = new Process(
        [
            PHP_BINARY,
            'vendor/bin/phpunit',
            '--bootstrap',
            'tests/Fault/Support/autoload.php',
            '--do-not-cache-result',
            ...$arguments,
            '--filter',
            "/\\\\({$names}){$end}/",
            ...array_map(static fn (string $class): string => "tests/Fault/{$class}.php", $classes),
        ],
        $root,
        // Mutations concern the protocol, and SQLite is the database that every machine has.
        [
            ...CompiledOnce::environment(),
            'HEADROOM_SRC' => $copy,
            'HEADROOM_PROOF' => '1',
            'CI' => false,
            'HEADROOM_MARIADB_HOST' => false,
            'HEADROOM_MYSQL_HOST' => false,
            'HEADROOM_PGSQL_HOST' => false,
        ],
        timeout: 120 + 20 * count($tests),
    );
    $code = $phpunit->run();
    $output = $phpunit->getOutput();

    // 1 is a failure and 2 an error in a test; any other code means that the tests did not run.
    if (! in_array($code, [0, 1, 2], true) || preg_match('/^(OK|Tests: [1-9])/m', $output) !== 1) {
        throw new RuntimeException(
            implode(', ', $tests)." could not be run, exit code {$code}: {$output} {$phpunit->getErrorOutput()}",
        );
    }

    $isSkipped = preg_match('/^Tests: (\d+),.* Skipped: (\d+)/m', $output, $m) === 1 && $m[1] === $m[2];

    return [$isSkipped ? null : $code === 0, $output];
};

$mutations = array_filter(
    Mutation::all(),
    static fn (Mutation $mutation): bool => str_contains($mutation->name, $argv[1] ?? ''),
);
$survivors = $skipped = $red = [];
printf("%-30s %-8s %7s  %s\n", 'guard removed', 'test', 'seconds', '');

try {
    foreach ($mutations as $n => $mutation) {
        $path = "{$copy}/{$mutation->file}";
        $source = (string) file_get_contents($path);

        $mutated = $mutation->removedFrom($source);

        if ($mutated === null) {
            throw new RuntimeException(
                "The guard '{$mutation->name}' must occur exactly once in src/{$mutation->file}: {$mutation->guard}",
            );
        }

        PhpToken::tokenize($mutated, TOKEN_PARSE); // throws if the result is not valid PHP
        file_put_contents($path, $mutated);
        $from = $clock->monotonicNanos();
        [
            $isGreen, $output,
        ] = $run([$mutation->test], '( with data set |$)', '--stop-on-defect', '--log-junit', "{$copy}.xml");
        $seconds = ($clock->monotonicNanos() - $from) / 1e9;
        file_put_contents($path, $source);
        printf("%-30s %-8s %7.2f  %s\n", $mutation->name, match ($isGreen) {
            null => 'skipped',
            true => 'GREEN',
            false => 'red',
        }, $seconds, $mutation->test);

        if ($isGreen === null) {
            $skipped[] = $mutation->test;
            unset($mutations[$n]);
        } elseif ($isGreen) {
            $survivors[] = $mutation->name;
        } else {
            $log = simplexml_load_file("{$copy}.xml");
            $defects = $log === false ? [] : $log->xpath('//testcase[failure or error]/@name');
            $red[] = explode('::', $mutation->test)[0].'::'
                .($defects[0] ?? throw new RuntimeException(
                    "{$mutation->test} is red, and PHPUnit names nothing that is: {$output}",
                ));
        }
    }

    // The same data sets must pass with all guards in place: then the missing guard is the only cause of the failures.
    $red = array_values(array_unique($red));
    [$isGreen, $output] = $red === [] ? [true, ''] : $run($red, '$');

    if ($isGreen !== true || ($red !== [] && preg_match('/^OK \('.count($red).' tests?,/m', $output) !== 1)) {
        throw new RuntimeException(
            count($red)
                ." tests were red, and these are not green, or not as many, with all guards in place:\n{$output}",
        );
    }
} finally {
    RemovedDirectory::remove($copy);
    @unlink("{$copy}.xml");
}

printf(
    "%d guards, %d noticed.%s%s\n",
    count($mutations),
    count($mutations) - count($survivors),
    $survivors === [] ? '' : ' Not noticed: '.implode(', ', $survivors).'.',
    $skipped === [] ? '' : ' Skipped for want of strace: '.implode(', ', array_unique($skipped)).'.',
);

exit($survivors === [] ? 0 : 1);
