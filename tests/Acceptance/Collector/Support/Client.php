<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support;

use RuntimeException;

/**
 * One connection, byte for byte.
 */
final class Client
{
    /** @var resource */
    public readonly mixed $stream;

    public function __construct(string $address)
    {
        $stream = stream_socket_client(
            str_starts_with($address, 'unix:') ? 'unix://'.substr($address, 5) : "tcp://{$address}",
            $number,
            $words,
            5,
        );
        $this->stream = $stream === false
            ? throw new RuntimeException("Not connected to {$address}: {$words}")
            : $stream;
        stream_set_timeout($stream, 20);
    }

    public function send(string $bytes): self
    {
        @fwrite($this->stream, $bytes);

        return $this;
    }

    public function event(string $id, string $headers = ''): self
    {
        $body = '{"type":"t","id":"'.$id.'"}';

        return $this->send(
            "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n{$headers}Content-Length: "
                .strlen($body)."\r\n\r\n{$body}",
        );
    }

    public function get(string $path): self
    {
        return $this->send("GET {$path} HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    /**
     * @return array{int, string, string} status, headers, body; status 0: the server hung up, or said nothing for 20 s
     */
    public function answer(): array
    {
        $head = '';

        while (! str_ends_with($head, "\r\n\r\n")) {
            $line = fgets($this->stream);

            if ($line === false) {
                return [0, $head, ''];
            }

            $head .= $line;
        }

        $status = (int) substr($head, 9, 3);
        $length = preg_match('/^Content-Length: (\d+)/mi', $head, $m) === 1 ? (int) $m[1] : 0;
        $body = '';

        while (strlen($body) < $length && ! feof($this->stream)) {
            $body .= (string) fread($this->stream, max(1, $length - strlen($body)));
        }

        return [$status, $head, $body];
    }

    /** @return bool whether the server has closed, with nothing more said */
    public function isClosed(): bool
    {
        return fread($this->stream, 1) === '' && feof($this->stream);
    }

    public function close(): void
    {
        fclose($this->stream);
    }

    /** @return array{int, string} status and body */
    public static function fetch(string $address, string $path): array
    {
        $client = new self($address);
        [$status, , $body] = $client->get($path)->answer();
        $client->close();

        return [$status, $body];
    }
}
