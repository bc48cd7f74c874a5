<?php

declare(strict_types=1);

/*
 * The RESULT lines of several runs as one: `php benchmarks/result-lines.php DIRECTORY NAME...`
 * reads DIRECTORY/NAME.log.
 */

use Headroom\Benchmarks\ResultLines;

require dirname(__DIR__).'/vendor/autoload.php';

if ($argc < 3) {
    fwrite(STDERR, "Use: php benchmarks/result-lines.php DIRECTORY NAME...\n");
    exit(2);
}

echo 'RESULT ', json_encode(
    (new ResultLines($argv[1]))->of(...array_slice($argv, 2)),
    JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION,
), "\n";
