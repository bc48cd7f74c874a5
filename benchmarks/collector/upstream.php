<?php

declare(strict_types=1);

/**
 * The third party of scenario 2: upstream.php PORT MILLIS. It answers each request after this delay. Several
 * processes share the port, because a loop with select() supports at most 1,000 connections.
 */

use React\EventLoop\Loop;
use React\Socket\ConnectionInterface;
use React\Socket\TcpServer;

require dirname(__DIR__, 2).'/vendor/autoload.php';

[, $port, $millis] = $argv;
$server = new TcpServer("127.0.0.1:{$port}", null, ['backlog' => 4096, 'so_reuseport' => true]);
$server->on('connection', static function (ConnectionInterface $client) use ($millis): void {
    $seen = '';
    $client->on('data', static function (string $bytes) use (&$seen, $client, $millis): void {
        $seen .= $bytes;

        while (($end = strpos($seen, "\r\n\r\n")) !== false) {
            $seen = substr($seen, $end + 4);
            Loop::addTimer(
                (int) $millis / 1000,
                static fn () => $client->write(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length:"
                        ." 17\r\n\r\n{\"answer\":\"slow\"}",
                ),
            );
        }
    });
});
