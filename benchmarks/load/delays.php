<?php

declare(strict_types=1);

/**
 * An HTTP server that answers each request after a random delay: delays.php PORT_FILE SEED. The distribution is log-
 * normal with a median of 150 ms, from 50 to 500 ms. The body of each answer has the microseconds for which the
 * server kept the request, measured when it sends the answer: on a busy machine that is more than draws() of the same
 * seed.
 */

use Random\Engine\Mt19937;
use Random\Randomizer;

/** @return Generator<int, int> microseconds, without an end */
function draws(int $seed): Generator
{
    $random = new Randomizer(new Mt19937($seed));
    $even = static fn (): float => ($random->getInt(0, 2 ** 31 - 2) + 1) / 2 ** 31;

    while (true) {
        // Box-Muller transform.
        $normal = sqrt(-2 * log($even())) * cos(2 * M_PI * $even());
        yield (int) max(50_000, min(500_000, 150_000 * exp(0.35 * $normal)));
    }
}

if (realpath($_SERVER['SCRIPT_FILENAME']) !== __FILE__) {
    return;
}

[, $portFile, $seed] = $argv;
$server = stream_socket_server(
    'tcp://127.0.0.1:0',
    $errno,
    $error,
    STREAM_SERVER_BIND | STREAM_SERVER_LISTEN,
    stream_context_create(['socket' => ['backlog' => 1024]]),
);
stream_set_blocking($server, false);
file_put_contents("{$portFile}.new", substr(strrchr(stream_socket_get_name($server, false), ':'), 1));
rename("{$portFile}.new", $portFile);
$draws = draws((int) $seed);
$clients = [];
$due = new SplMinHeap;

for (; ;) {
    $readable = [-1 => $server] + $clients;
    $none = null;
    $wait = $due->isEmpty() ? 1_000_000 : max(0, intdiv($due->top()[0] - hrtime(true), 1_000));
    stream_select($readable, $none, $none, intdiv($wait, 1_000_000), $wait % 1_000_000);

    foreach ($readable as $id => $stream) {
        if ($id === -1) {
            while (($client = @stream_socket_accept($server, 0)) !== false) {
                stream_set_blocking($client, false);
                $clients[(int) $client] = $client;
            }
        } elseif (($request = fread($stream, 65_536)) === '' || $request === false) {
            fclose($stream);
            unset($clients[$id]);
        } else {
            // A client sends its next request after this answer, so one read is one request.
            $now = hrtime(true);
            $due->insert([$now + $draws->current() * 1_000, $id, $now]);
            $draws->next();
        }
    }

    while (! $due->isEmpty() && $due->top()[0] <= hrtime(true)) {
        [, $id, $since] = $due->extract();
        $body = (string) intdiv(hrtime(true) - $since, 1_000);
        isset($clients[$id])
            && fwrite($clients[$id], "HTTP/1.1 200 OK\r\nContent-Length: ".strlen($body)."\r\n\r\n{$body}");
    }
}
