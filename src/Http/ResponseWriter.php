<?php

declare(strict_types=1);

namespace Headroom\Http;

use Headroom\Core\Clock;

use function intdiv;
use function preg_match;
use function strlen;
use function strtolower;

/**
 * Writes responses for HTTP/1.1 and 1.0. One instance serves a whole process, because it formats the date once a
 * second.
 *
 * @internal
 */
final class ResponseWriter
{
    /** Sent to a client that waits for this line before it sends a body: see RequestParser::wantsContinue(). */
    public const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

    /** The writer sets these headers for the connection; a handler may have copied others from another response. */
    public const OWN_HEADERS = [
        'connection' => 1,
        'content-length' => 1,
        'date' => 1,
        'keep-alive' => 1,
        'transfer-encoding' => 1,
    ];

    private const NOT_IN_A_VALUE = '/[\x00-\x08\x0A-\x1F\x7F]/';

    private int $second = -1;

    private string $date = '';

    /** @var array<int, string> by status */
    private array $statusLines = [];

    public function __construct(private readonly Clock $clock) {}

    /**
     * @param array<string, string> $headers by name
     * @param bool $keepAlive RequestParser::keepsAlive(), unless the server closes the connection. A client of HTTP/1.0
     *     closes it unless the response says keep-alive
     * @param string $method of the request: the response to HEAD has no body
     *
     * @throws InvalidResponse
     */
    public function write(int $status, string $body, array $headers, bool $keepAlive, string $method): string
    {
        $second = intdiv($this->clock->micros(), 1_000_000);

        if ($second !== $this->second) {
            $this->second = $second;
            $this->date = gmdate('D, d M Y H:i:s', $second).' GMT';
        }

        if ($status < 200 || $status > 599) {
            throw InvalidResponse::status($status);
        }

        $this->statusLines[$status] ??= "HTTP/1.1 {$status} ".ReasonPhrase::of($status);
        $head = "{$this->statusLines[$status]}\r\nDate: {$this->date}\r\n"
            .($keepAlive ? "Connection: keep-alive\r\n" : "Connection: close\r\n");

        foreach ($headers as $name => $value) {
            $head .= $this->header("{$name}", $value);
        }

        // RFC 9110, section 8.6: a 204 has no Content-Length; that of a 304 would be the length of the other response.
        if ($status === 204 || $status === 304) {
            return "{$head}\r\n";
        }

        $body = $status === 205 ? '' : $body;

        return "{$head}Content-Length: ".strlen($body)."\r\n\r\n".($method === 'HEAD' ? '' : $body);
    }

    private function header(string $name, string $value): string
    {
        if (preg_match(HeaderBlock::TOKEN, $name) !== 1) {
            throw InvalidResponse::headerName($name);
        }

        if (preg_match(self::NOT_IN_A_VALUE, $value) !== 0) {
            throw InvalidResponse::headerValue($name);
        }

        return isset(self::OWN_HEADERS[strtolower($name)]) ? '' : "{$name}: {$value}\r\n";
    }
}
