<?php

declare(strict_types=1);

/**
 * Reads one log in a process of its own, as the commands do: read.php KIND FILE. Prints JSON: seconds of the clock
 * and of CPU, the number of entries, and the peak of PHP's memory.
 */

use Headroom\Console\Standalone\Bootstrap;
use Headroom\Host\AccessLog\AccessLogReader;
use Headroom\Host\AccessLog\Unparsed;
use Headroom\Host\Log\LogFile;
use Headroom\Host\Log\LogLines;
use Headroom\Load\Metrics\ProcessCpuTime;
use Symfony\Component\Console\Input\ArrayInput;
use Symfony\Component\Console\Output\BufferedOutput;

require dirname(__DIR__, 2).'/vendor/autoload.php';

[, $kind, $path] = $argv;
$cpu = new ProcessCpuTime;
[$start, $used] = [hrtime(true), $cpu->micros()];

if ($kind === 'access') {
    [$found, $unread] = [0, 0];

    foreach ((new AccessLogReader)->entries(LogLines::of(LogFile::open($path)->chunks())->texts()) as $entry) {
        $entry instanceof Unparsed ? $unread++ : $found++;
    }
} else {
    $output = new BufferedOutput;
    $exit = (new Bootstrap)->run(
        new ArrayInput([
            'command' => $kind === 'slow' ? 'logs:slow' : 'logs:error',
            'file' => [$path],
            '--json' => true,
        ]),
        $output,
    );
    $document = json_decode($output->fetch(), true, flags: JSON_THROW_ON_ERROR);
    $exit === 0 || throw new RuntimeException("The command ended with {$exit}.");
    [$found, $unread] = [$document['traces'] ?? $document['entries'], $document['unread_lines']];
}

echo json_encode(
    [
        'seconds' => (hrtime(true) - $start) / 1e9,
        'cpu_seconds' => ($cpu->micros() - $used) / 1e6,
        'found' => $found,
        'unread' => $unread,
        'peak_bytes' => memory_get_peak_usage(true),
    ],
    JSON_THROW_ON_ERROR,
), "\n";
