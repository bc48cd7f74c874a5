<?php

declare(strict_types=1);

/*
 * One line of what all experiments ended with: `php benchmarks/index/result.php DIRECTORY NAME...` reads
 * DIRECTORY/NAME.log of each.
 */

use Headroom\Benchmarks\Index\Ends;

require dirname(__DIR__, 2).'/vendor/autoload.php';

if ($argc < 3) {
    fwrite(STDERR, "Use: php benchmarks/index/result.php DIRECTORY NAME...\n");
    exit(2);
}

echo 'RESULT ', json_encode(
    (new Ends($argv[1]))->of(...array_slice($argv, 2)),
    JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION,
), "\n";
