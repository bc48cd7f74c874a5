<?php

declare(strict_types=1);

/*
 * The page of all experiments, of figures that are there: `php benchmarks/index/report.php [directory]`. With --quick
 * or QUICK=1 of those of quick runs, into a page of their own.
 */

use Headroom\Benchmarks\Index\IndexPage;
use Headroom\Benchmarks\Script;

require dirname(__DIR__, 2).'/vendor/autoload.php';

$arguments = array_slice($argv, 1);
$isQuick = in_array('--quick', $arguments, true) || ! in_array(getenv('QUICK'), [false, '', '0'], true);
$directories = array_values(array_diff($arguments, ['--quick']));

if (count($directories) > 1 || str_starts_with($directories[0] ?? '', '-')) {
    fwrite(STDERR, "Use: php benchmarks/index/report.php [--quick] [directory of results]\n");
    exit(2);
}

echo Script::orEnd(static fn (): string => (new IndexPage(
    $directories[0] ?? dirname(__DIR__).'/results',
    $isQuick,
))->write()), "\n";
