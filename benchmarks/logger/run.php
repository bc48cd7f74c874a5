<?php

declare(strict_types=1);

/**
 * The cost of a log line for its process: through the channel `spool` and through Monolog's StreamHandler, which
 * locks its file for each line, as it must if several processes share it. In turns in one process: php -d
 * opcache.enable_cli=1 benchmarks/logger/run.php [ROUNDS]
 */

use Headroom\Benchmarks\Signals;
use Headroom\Core\SystemClock;
use Headroom\Laravel\Log\SpoolHandler;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Buffer;
use Monolog\Formatter\JsonFormatter;
use Monolog\Handler\StreamHandler;
use Monolog\Logger;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const LINES = 10_000;

Signals::endTidily();
// The log channel catches exceptions, so an exception out of a signal must not arise within a line.
pcntl_async_signals(false);

$rounds = max(1, (int) ($argv[1] ?? 9));
$clock = new SystemClock;
$directory = TemporaryDirectory::create('bench-log');
$opened = Buffer::onDisk(AppendConfig::fromArray(['path' => $directory->file('opened')]));
$kept = Buffer::onDisk(AppendConfig::fromArray(['path' => $directory->file('kept')]));
$kept->keepSegmentsOpen();
$json = new StreamHandler($directory->file('json.log'), useLocking: true);
$json->setFormatter(new JsonFormatter);

$ways = [
    'spool, further lines of a request' => new SpoolHandler($kept->bucket('logs')),
    'spool, a request with one line' => new SpoolHandler($opened->bucket('logs')),
    'StreamHandler, locking' => new StreamHandler($directory->file('line.log'), useLocking: true),
    'StreamHandler, locking, JSON' => $json,
    'StreamHandler, no locking' => new StreamHandler($directory->file('unlocked.log')),
];
$exception = new RuntimeException('The warehouse is closed.');
$kinds = [
    'plain' => ['order' => 'A-1', 'amount' => 12.5, 'customer' => 4711],
    'exception' => ['order' => 'A-1', 'exception' => $exception],
];
$micros = [];

try {
    for ($round = 0; $round < $rounds; $round++) {
        foreach ($kinds as $kind => $context) {
            foreach ($ways as $name => $handler) {
                pcntl_signal_dispatch();
                $logger = new Logger('bench', [$handler]);
                $start = $clock->monotonicNanos();

                for ($line = 0; $line < LINES; $line++) {
                    $logger->info('Order has come in', $context);
                }

                $micros[$kind][$name][] = ($clock->monotonicNanos() - $start) / LINES / 1_000;
            }
        }
    }
} finally {
    $kept->closeSegments();
    $directory->remove();
}

$medians = [];

foreach ($micros as $kind => $byWay) {
    foreach ($byWay as $name => $figures) {
        sort($figures);
        $medians[$kind][$name] = round($figures[intdiv(count($figures), 2)], 2);
        printf(
            "%-10s %-36s %6.2f µs a line (%.2f to %.2f)\n",
            $kind,
            $name,
            $medians[$kind][$name],
            $figures[0],
            $figures[count($figures) - 1],
        );
    }
}

echo 'RESULT ', json_encode(
    ['rounds' => $rounds, 'lines' => LINES, 'php' => PHP_VERSION, 'micros' => $medians],
    JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES,
), "\n";
