<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Sockets;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\Kernel\UnreadableKernel;

/**
 * The TCP sockets of a network namespace: /proc/net/tcp and tcp6. With a hundred thousand connections reading it takes
 * the kernel some tenths of a second.
 *
 * @internal
 */
final readonly class TcpTable
{
    // sl, local address:port, remote address:port, state, tx_queue:rx_queue, all in hex.
    private const ROW =
        '/^ *\d+: ([0-9A-F]{8}(?:[0-9A-F]{24})?):([0-9A-F]{4}) ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})'
        .' ([0-9A-F]{2}) [0-9A-F]{8}:([0-9A-F]{8}) /m';

    /** @param list<string> $texts */
    private function __construct(private array $texts, public string $source) {}

    /** @throws FactUnavailable */
    public static function read(string $process = 'self', KernelFiles $files = new KernelFiles): self
    {
        $four = "/proc/{$process}/net/tcp";
        $six = "/proc/{$process}/net/tcp6";

        // Without IPv6 there is no second file.
        return new self(
            [$files->read($four), $files->has($six) ? $files->read($six) : ''],
            $files->has($six) ? "{$four}, {$six}" : $four,
        );
    }

    /**
     * Connections to a port of a server, such as 6379, in a state. On loopback both ends are on this machine; only the
     * connecting end counts.
     */
    public function connectionsTo(int $remotePort, TcpState $state): int
    {
        $count = 0;

        foreach ($this->rows() as [, , , , $remote, $found]) {
            $count += hexdec($remote) === $remotePort && $found === $state->value ? 1 : 0;
        }

        return $count;
    }

    /**
     * Connections that wait to be accepted at a port, over all addresses that listen there.
     * The limit is not in this file.
     *
     * @throws FactUnavailable if no process listens there
     */
    public function waitingAt(int $port): int
    {
        $waiting = null;

        foreach ($this->rows() as [, , $local, , , $state, $queue]) {
            if (hexdec($local) === $port && $state === TcpState::Listen->value) {
                $waiting = ($waiting ?? 0) + (int) hexdec($queue);
            }
        }

        return $waiting ?? throw UnreadableKernel::notListening("port {$port}", "ss -ltn 'sport = :{$port}'");
    }

    /**
     * The destination with the most local ports. Connections from one local address to one remote address and port need
     * a port each. Ports of listening sockets do not count.
     *
     * @param int $first of the kernel's range
     * @param int $last likewise
     */
    public function busiest(int $first, int $last): ?Destination
    {
        $open = [];
        $waiting = [];

        foreach ($this->rows() as [, $from, $local, $to, $remote, $state]) {
            $port = hexdec($local);

            if ($port >= $first && $port <= $last && $state !== TcpState::Listen->value) {
                $key = "{$from} {$to} {$remote}";
                $open[$key] ??= 0;
                $waiting[$key] ??= 0;
                $state === TcpState::TimeWait->value ? $waiting[$key]++ : $open[$key]++;
            }
        }

        $most = null;

        foreach ($open as $key => $count) {
            if ($most === null || $count + $waiting[$key] > $most->open + $most->timeWait) {
                [, $to, $remote] = explode(' ', $key);
                $most = new Destination(HexAddress::text($to), (int) hexdec($remote), $count, $waiting[$key]);
            }
        }

        return $most;
    }

    /**
     * @return iterable<array{string, string, string, string, string, string, string}> the whole row,
     *     then what ROW takes out of it
     */
    private function rows(): iterable
    {
        foreach ($this->texts as $text) {
            $offset = 0;

            while (preg_match(self::ROW, $text, $m, PREG_OFFSET_CAPTURE, $offset) === 1) {
                $offset = $m[0][1] + strlen($m[0][0]);

                yield [$m[0][0], $m[1][0], $m[2][0], $m[3][0], $m[4][0], $m[5][0], $m[6][0]];
            }
        }
    }
}
