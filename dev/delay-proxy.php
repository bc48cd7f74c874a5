<?php

declare(strict_types=1);

/*
 * php dev/delay-proxy.php --to=HOST:PORT --round-trip-ms=2 [--connection-ms=0] [--listen=127.0.0.1:0]
 *
 * Prints "listening on HOST:PORT" and delays every byte by half the round trip in each direction. With --connection-ms
 * the server also spends that time, in the mean, on each new connection, one after the other.
 * SIGUSR1 cuts all connections, SIGTERM stops the proxy.
 */

use Headroom\Core\SystemClock;
use Headroom\Dev\Delay\Relay;

foreach ([__DIR__.'/../vendor/autoload.php', __DIR__.'/../../../autoload.php'] as $autoload) {
    if (is_file($autoload)) {
        require $autoload;

        break;
    }
}

$options = getopt('', ['to:', 'round-trip-ms:', 'connection-ms:', 'listen:']);
$to = $options['to'] ?? null;
$millis = $options['round-trip-ms'] ?? null;
$connectionMillis = $options['connection-ms'] ?? '0';
$listen = $options['listen'] ?? '127.0.0.1:0';

if (
    ! is_string($to)
    || ! is_string($listen)
    || ! is_string($millis)
    || ! is_numeric($millis)
    || ! is_string($connectionMillis)
    || ! is_numeric($connectionMillis)
    || preg_match('/:\d+\z/', $to) !== 1
) {
    fwrite(
        STDERR,
        'Usage: php dev/delay-proxy.php --to=HOST:PORT --round-trip-ms=NUMBER [--connection-ms=NUMBER]'
            ." [--listen=HOST:PORT]\n",
    );
    exit(2);
}

$relay = new Relay(
    $listen,
    $to,
    (int) round((float) $millis * 1_000),
    new SystemClock,
    (int) round((float) $connectionMillis * 1_000),
);

// Without the extension SIGUSR1 kills the proxy, which cuts the connections as well, but accepts no new ones.
if (function_exists('pcntl_signal')) {
    pcntl_async_signals(true);
    pcntl_signal(SIGUSR1, $relay->cutConnections(...), false);
}

fwrite(STDOUT, "listening on {$relay->address()}\n");
$relay->run();
