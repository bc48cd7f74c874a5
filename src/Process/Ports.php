<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * Finds and tests ports on the loopback interface.
 *
 * @internal
 */
final readonly class Ports
{
    // Below the ephemeral range of Linux, so that no outgoing connection takes the port later.
    private const FIRST = 20_000;

    private const LAST = 31_999;

    private const TRIES = 100;

    /**
     * A loopback port that is free at this moment. Another process may bind it first, so the caller must be able to
     * retry.
     *
     * @throws UnableToStart
     */
    public static function free(): int
    {
        for ($try = 0; $try < self::TRIES; $try++) {
            $port = random_int(self::FIRST, self::LAST);
            $socket = @stream_socket_server("tcp://127.0.0.1:{$port}");

            if ($socket !== false) {
                fclose($socket);

                return $port;
            }
        }

        throw UnableToStart::noFreePort(self::FIRST, self::LAST, self::TRIES);
    }

    public static function accepts(int $port): bool
    {
        $socket = @stream_socket_client("tcp://127.0.0.1:{$port}", timeout: 1.0);

        if ($socket === false) {
            return false;
        }

        fclose($socket);

        return true;
    }
}
