<?php

declare(strict_types=1);

/**
 * The speed at which the scanner reads segments from the page cache: scan.php DIR ROUNDS MB... Prints JSON: MB (of
 * 1,048,576 bytes) per second by size, one per round, of whole segments and of copies in which one frame in a hundred
 * has a flipped bit.
 */

use Headroom\Benchmarks\WriteBuffer\Scans;

require dirname(__DIR__, 2).'/vendor/autoload.php';

[, $dir, $rounds] = $argv;
echo json_encode(
    (new Scans($dir))->run((int) $rounds, array_map(intval(...), array_slice($argv, 3))),
    JSON_THROW_ON_ERROR,
), "\n";
