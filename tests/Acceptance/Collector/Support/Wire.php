<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support;

use RuntimeException;

/**
 * One request on a connection of its own, byte for byte, and its answer.
 */
final readonly class Wire
{
    /** Headers in which web servers describe themselves and the connection. */
    private const OF_THE_SERVER = ['date' => 1, 'server' => 1, 'connection' => 1, 'keep-alive' => 1];

    /**
     * @param list<string> $headers lines
     * @return array{int, array<string, string>, string} status, headers in lower case, body
     */
    public static function ask(string $address, string $method, string $target, array $headers, string $body): array
    {
        $stream = stream_socket_client("tcp://{$address}", $number, $words, 5);

        if ($stream === false) {
            throw new RuntimeException("Not connected to {$address}: {$words}");
        }

        stream_set_timeout($stream, 20);
        $length = $body === '' ? [] : ['Content-Length: '.strlen($body)];
        @fwrite(
            $stream,
            implode("\r\n", [
                "{$method} {$target} HTTP/1.1",
                'Host: collector.test',
                'Connection: close',
                ...$headers,
                ...$length,
                '',
                $body,
            ]),
        );
        $answer = (string) stream_get_contents($stream);
        fclose($stream);
        [$head, $content] = explode("\r\n\r\n", $answer, 2) + [1 => ''];
        $lines = explode("\r\n", $head);
        $found = [];

        foreach (array_slice($lines, 1) as $line) {
            [$name, $value] = explode(': ', $line, 2) + [1 => ''];
            $found[strtolower($name)] = $value;
        }

        return self::normal((int) substr($head, 9, 3), $found, $content);
    }

    /**
     * Without what differs from one answer to the next of the same server.
     *
     * @param array<string, string> $headers
     * @return array{int, array<string, string>, string}
     */
    public static function normal(int $status, array $headers, string $body): array
    {
        $headers = array_diff_key($headers, self::OF_THE_SERVER);
        ksort($headers);

        return [
            $status,
            $headers,
            (string) preg_replace('/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/', 'AN-ID', $body),
        ];
    }
}
