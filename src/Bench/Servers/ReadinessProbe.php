<?php

declare(strict_types=1);

namespace Headroom\Bench\Servers;

use PDO;
use PDOException;

/**
 * Asked of a server over a connection of its own: is it ready, and is it the one that was started? Another one may sit on
 * the port that ours is about to fail to bind.
 *
 * @internal
 */
final readonly class ReadinessProbe
{
    private const SECONDS = 2;

    /** @param string $expected must come in its answer */
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

    /** @param string $data the folder that it must say its data are in */
    public static function sql(string $dsn, string $sql, string $data): bool
    {
        try {
            $pdo = new PDO($dsn, 'headroom', 'headroom', [PDO::ATTR_TIMEOUT => self::SECONDS, PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
            $answer = $pdo->query($sql);
            $folder = $answer === false ? null : $answer->fetchColumn();

            // TMPDIR may be a link, which one server resolves and the other does not.
            return is_string($folder) && realpath($folder) === realpath($data);
        } catch (PDOException) {
            return false;
        }
    }
}
