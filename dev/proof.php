<?php

declare(strict_types=1);

/*
 * Keeps the last green `make proof` in tests/proof.json, which is committed.
 *
 * php dev/proof.php                               prints when each part last passed, and the commit
 * php dev/proof.php commit                        prints the commit whose tests all passed
 * php dev/proof.php passed PART COMMIT SECONDS    records a pass, unless the tree had uncommitted changes
 */
const PARTS = ['whole', 'quiet', 'torture', 'planted', 'platforms', 'fresh'];

$file = dirname(__DIR__).'/tests/proof.json';
/** @var array<string, array{commit: string, date: string, seconds: int}> $proof */
$proof = is_file($file) ? json_decode((string) file_get_contents($file), true, 3, JSON_THROW_ON_ERROR) : [];

if (($argv[1] ?? '') === 'passed') {
    [, , $part, $commit, $seconds] = $argv;

    if (str_ends_with($commit, '-dirty')) {
        echo "proof: {$part} passed on a tree with uncommitted changes, so it is not recorded. Commit, and run:"
            ." make proof ONLY={$part}\n";

        exit(0);
    }

    $proof[$part] = ['commit' => $commit, 'date' => gmdate('Y-m-d'), 'seconds' => (int) $seconds];
    $proof = array_replace(array_intersect_key(array_flip(PARTS), $proof), $proof);
    file_put_contents($file, json_encode($proof, JSON_PRETTY_PRINT | JSON_THROW_ON_ERROR)."\n");
    echo "proof: {$part} passed on {$commit}. Commit tests/proof.json.\n";

    exit(0);
}

if (($argv[1] ?? '') === 'commit') {
    echo $proof['whole']['commit'] ?? '';

    exit(0);
}

foreach (PARTS as $part) {
    echo isset($proof[$part])
        ? sprintf("last green proof: %-10s %s, %s\n", $part, $proof[$part]['commit'], $proof[$part]['date'])
        : sprintf("last green proof: %-10s none. Run: make proof ONLY=%s\n", $part, $part);
}
