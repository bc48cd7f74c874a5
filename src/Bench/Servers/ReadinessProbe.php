<?php

declare(strict_types=1);

namespace Headroom\Bench\Servers;

use PDO;
use PDOException;

/**
 * Asks a server over the network whether it is ready, and whether it is the one that was started. Another server may
 * hold the port that the new one is about to fail to bind.
 *
 * @internal
 */
final readonly class ReadinessProbe
{
    private const SECONDS = 2;

    /** @param string $expected text that the response must contain */
    public static function line(int $port, string $line, string $expected): bool
    {
        $socket = @stream_socket_client("tcp://127.0.0.1:{$port}", timeout: self::SECONDS);

        if ($socket === false) {
            return false;
        }

        stream_set_timeout($socket, self::SECONDS);
        @fwrite($socket, "{$line}\r\n");
        $answer = '';

        while (! str_contains($answer, $expected)) {
            $more = @fgets($socket);

            if ($more === false) {
                break;
            }

            $answer .= $more;
        }

        fclose($socket);

        return str_contains($answer, $expected);
    }

    /** @param string $data the data directory that the server must report */
    public static function sql(string $dsn, string $sql, string $data): bool
    {
        try {
            $pdo = new PDO($dsn, 'headroom', 'headroom', [
                PDO::ATTR_TIMEOUT => self::SECONDS,
                PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
            ]);
            $answer = $pdo->query($sql);
            $folder = $answer === false ? null : $answer->fetchColumn();

            // TMPDIR may be a link, and only one of the two servers reports the resolved path.
            return is_string($folder) && realpath($folder) === realpath($data);
        } catch (PDOException) {
            return false;
        }
    }
}
