<?php

declare(strict_types=1);

/*
 * Writes resources/end-of-life.json from a clone of https://github.com/endoflife-date/endoflife.date:
 *
 *     php dev/end-of-life.php ~/endoflife.date
 */

/**
 * Products, and the field with the date on which the vendor's free support ends. Debian's LTS is free, paid extensions
 * do not count.
 */
const PRODUCTS = [
    'nginx' => 'eol', 'php' => 'eol', 'laravel' => 'eol', 'mysql' => 'eol', 'mariadb' => 'eol', 'postgresql' => 'eol',
    'redis' => 'eol',
    'valkey' => 'eol', 'debian' => 'eoes', 'ubuntu' => 'eol', 'almalinux' => 'eol', 'rocky-linux' => 'eol',
    'rhel' => 'eol',
    'amazon-linux' => 'eol', 'alpine-linux' => 'eol',
];

$clone = $argv[1] ?? exit("php dev/end-of-life.php CLONE\n");
$git = ['git', '-C', $clone];
$date = trim(said([...$git, 'log', '-1', '--format=%cs']));
$products = [];

foreach (PRODUCTS as $product => $field) {
    $text = said([...$git, 'show', "HEAD:products/{$product}.md"]);
    $cycles = preg_split('/^  - releaseCycle: /m', (string) strstr($text, "\nreleases:"));
    $ends = [];

    foreach (array_slice(is_array($cycles) ? $cycles : [], 1) as $cycle) {
        preg_match('/\A"?([^"\s]+)"?/', $cycle, $found);
        $name = $found[1] ?? exit("{$product} has a release without a name.\n");
        preg_match('/^    eol: (\S+)/m', $cycle, $eol);
        preg_match("/^    {$field}: (\\S+)/m", $cycle, $later);
        preg_match('/^    latestReleaseDate: (\S+)/m', $cycle, $last);
        $end = $later[1] ?? $eol[1] ?? exit("{$product} {$name} has no end.\n");
        // If there is no date, the last release counts.
        $ends[$name] = match ($end) {
            'false' => null,
            'true' => $last[1] ?? exit("{$product} {$name} has no date.\n"),
            default => $end,
        };
    }

    uksort($ends, static fn (string $one, string $other): int => version_compare($one, $other));
    $products[$product] = $ends === [] ? exit("{$product} has no releases.\n") : $ends;
}

$document = ['source' => 'https://endoflife.date', 'date' => $date, 'products' => $products];
file_put_contents(
    dirname(__DIR__).'/resources/end-of-life.json',
    json_encode($document, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_FORCE_OBJECT | JSON_THROW_ON_ERROR)."\n",
);

/** @param list<string> $command */
function said(array $command): string
{
    $process = proc_open($command, [1 => ['pipe', 'w']], $pipes);
    $text = is_resource($process) ? (string) stream_get_contents($pipes[1]) : '';

    return is_resource($process) && proc_close($process) === 0 ? $text : exit(implode(' ', $command)." failed.\n");
}
