<?php

declare(strict_types=1);

/*
 * The report once more, of figures that are there: `php benchmarks/preload/report.php [results.json]`
 * writes it beside them.
 */

use Headroom\Benchmarks\Preload\Report\Page;
use Headroom\Benchmarks\Script;

require dirname(__DIR__, 2).'/vendor/autoload.php';

echo Script::orEnd(static fn (): string => Page::write($argv[1] ?? dirname(__DIR__).'/results/preload.json')), "\n";
