<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Redis;

use RuntimeException;

/**
 * One command to one server over a connection of its own, with neither of the libraries that are tested. An error reply
 * is thrown.
 */
final readonly class Resp
{
    /** @param resource $socket */
    private function __construct(private mixed $socket) {}

    public static function ask(int $port, string|int ...$command): mixed
    {
        $socket = @stream_socket_client("tcp://127.0.0.1:{$port}", $code, $message, 5.0);

        if ($socket === false) {
            throw new RuntimeException("127.0.0.1:{$port} cannot be reached: {$message}");
        }

        stream_set_timeout($socket, 30);
        $request = '*'.count($command)."\r\n";

        foreach ($command as $part) {
            $request .= '$'.strlen((string) $part)."\r\n{$part}\r\n";
        }

        fwrite($socket, $request);

        try {
            return (new self($socket))->reply();
        } finally {
            fclose($socket);
        }
    }

    public static function answers(int $port): bool
    {
        try {
            return self::ask($port, 'PING') === 'PONG';
        } catch (RuntimeException $e) {
            // It answers, to those who have the password.
            return str_starts_with($e->getMessage(), 'NOAUTH');
        }
    }

    private function reply(): mixed
    {
        $line = fgets($this->socket);

        if ($line === false) {
            throw new RuntimeException('The server closed the connection or is silent.');
        }

        $rest = substr($line, 1, -2);

        return match ($line[0]) {
            '+' => $rest,
            ':' => (int) $rest,
            '-' => throw new RuntimeException($rest),
            '$' => $rest === '-1' ? null : substr((string) stream_get_contents($this->socket, (int) $rest + 2), 0, -2),
            '*' => $rest === '-1' ? null : array_map(fn (): mixed => $this->reply(), array_fill(0, (int) $rest, null)),
            default => throw new RuntimeException("Not a reply: {$line}"),
        };
    }
}
