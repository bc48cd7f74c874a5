<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;

/**
 * Sends requests to a pool over FastCGI as nginx does, one request per connection.
 *
 * @internal
 */
final readonly class FastCgiClient
{
    private const READ_BYTES = 65_536;

    /**
     * @param int $connectMillis a pool with a free place in its queue accepts a connection within a round trip
     * @param int $answerMillis from the connection to the end of the answer
     * @param int $limit bytes of the whole answer
     */
    public function __construct(
        private int $connectMillis = 1_000,
        private int $answerMillis = 3_000,
        private int $limit = 4_194_304,
        private Clock $clock = new SystemClock,
    ) {}

    /**
     * Sends a GET for a script, or for a path that FPM itself answers.
     *
     * @param string $query without the question mark
     *
     * @throws UnableToQueryPool
     */
    public function get(Address $address, string $script, string $query = ''): FastCgiResponse
    {
        return $this->ask($address, [
            'GATEWAY_INTERFACE' => 'CGI/1.1',
            'SERVER_PROTOCOL' => 'HTTP/1.1',
            'REQUEST_METHOD' => 'GET',
            'SCRIPT_FILENAME' => $script,
            'SCRIPT_NAME' => $script,
            'REQUEST_URI' => $query === '' ? $script : "{$script}?{$query}",
            'QUERY_STRING' => $query,
            'REMOTE_ADDR' => '127.0.0.1',
        ])->assertScriptRan($address, $script);
    }

    /**
     * @param array<string, string> $params
     *
     * @throws UnableToQueryPool
     */
    public function ask(Address $address, array $params, string $stdin = ''): FastCgiResponse
    {
        $exchange = new FastCgiExchange($address, FastCgiRecords::request($params, $stdin), $this->limit);
        $socket = $this->connect($address);

        try {
            stream_set_blocking($socket, false);
            $until = $this->clock->monotonicNanos() + $this->answerMillis * 1_000_000;

            while (! $exchange->isOver()) {
                $this->step($socket, $exchange, $until, $address);
            }
        } finally {
            fclose($socket);
        }

        return $exchange->answer();
    }

    /**
     * @return resource
     *
     * @throws UnableToQueryPool
     */
    private function connect(Address $address): mixed
    {
        $errno = 0;
        $words = '';
        $socket = @stream_socket_client($address->target(), $errno, $words, $this->connectMillis / 1_000);

        return $socket === false
            ? throw UnableToQueryPool::connecting($address, (int) $errno, (string) $words, $this->connectMillis)
            : $socket;
    }

    /**
     * @param resource $socket
     *
     * @throws UnableToQueryPool
     */
    private function step(mixed $socket, FastCgiExchange $exchange, int $until, Address $address): void
    {
        $left = intdiv($until - $this->clock->monotonicNanos(), 1_000);
        /** @var list<resource> $read stream_select() leaves those that are ready */
        $read = [$socket];
        $write = $exchange->hasMoreToSend() ? [$socket] : [];
        $except = null;

        if ($left <= 0) {
            throw UnableToQueryPool::silent($address, $this->answerMillis, $exchange->received());
        }

        // A signal ends the wait early and stream_select() returns false; the next step reads what has arrived.
        if ((int) @stream_select($read, $write, $except, intdiv($left, 1_000_000), $left % 1_000_000) === 0) {
            return;
        }

        if ($write !== []) {
            // A failed write shows when the answer is read.
            $exchange->sent((int) @fwrite($socket, $exchange->toSend()));
        }

        if ($read !== []) {
            $bytes = (string) @fread($socket, self::READ_BYTES);
            $bytes === '' && feof($socket) ? $exchange->closed() : $exchange->receive($bytes);
        }
    }
}
