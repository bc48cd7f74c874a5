<?php

declare(strict_types=1);

/*
 * The report once more, of figures that are there: `php benchmarks/collector/report.php [results.json]` writes it beside them.
 */

use Headroom\Benchmarks\Collector\Report\Page;
use Headroom\Benchmarks\Collector\Report\UnableToReadResults;

require dirname(__DIR__, 2).'/vendor/autoload.php';

try {
    echo Page::write($argv[1] ?? dirname(__DIR__).'/results/collector.json'), "\n";
} catch (UnableToReadResults $failure) {
    fwrite(STDERR, $failure->getMessage()."\n");
    exit(1);
}
