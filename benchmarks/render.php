<?php

declare(strict_types=1);

/*
 * Makes the pages again, from results that are there: `php benchmarks/render.php [--quick] [--in=DIRECTORY] [NAME...]`.
 * Without a name: the pages of all experiments that have results, and the page of all of them.
 */

use Headroom\Benchmarks\Report\Experiment;
use Headroom\Benchmarks\Report\Pages;
use Headroom\Benchmarks\Script;

require dirname(__DIR__).'/vendor/autoload.php';

$names = array_values(array_filter(array_slice($argv, 1), static fn (string $name): bool => $name[0] !== '-'));
$options = array_diff(array_slice($argv, 1), $names);
$isQuick = in_array('--quick', $options, true) || ! in_array(getenv('QUICK'), [false, '', '0'], true);
$directory = __DIR__.'/results';
$known = [...array_keys(array_filter(
    Experiment::all(),
    static fn (Experiment $experiment): bool => $experiment->hasPage(),
)), Pages::INDEX];

foreach (array_diff($options, ['--quick']) as $option) {
    if (! str_starts_with($option, '--in=')) {
        fwrite(
            STDERR,
            "{$option} is not an option. Use: php benchmarks/render.php [--quick] [--in=DIRECTORY] [NAME...]\n",
        );
        exit(2);
    }

    $directory = substr($option, 5);
}

if (($unknown = array_diff($names, $known)) !== []) {
    fwrite(STDERR, 'No page is called '.implode(', ', $unknown).'. Pages are '.implode(', ', $known).".\n");
    exit(2);
}

$pages = new Pages($directory, $isQuick);
$has = static fn (string $name): bool => $name === Pages::INDEX
    || is_file("{$directory}/{$name}".($isQuick ? '-quick' : '').'.json');

foreach ($names === [] ? array_filter($known, $has) : $names as $name) {
    echo Script::orEnd(static fn (): string => $pages->write($name)), "\n";
}
