<?php

declare(strict_types=1);

namespace Headroom\Http;

use Headroom\Collector\Response;
use Headroom\Core\Clock;

use function intdiv;
use function preg_match;
use function strlen;
use function strtolower;

/**
 * Responses as bytes, for HTTP/1.1 and 1.0 alike. One serves a whole process: it keeps the second's Date.
 *
 * @internal
 */
final class ResponseWriter
{
    /** What a client that wantsContinue() is sent before its body. */
    public const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

    /** Said here by what is true on this connection, whatever a handler has copied from somewhere. */
    private const OURS = [
        'connection' => 1,
        'content-length' => 1,
        'date' => 1,
        'keep-alive' => 1,
        'transfer-encoding' => 1,
    ];

    private const NOT_IN_A_VALUE = '/[\x00-\x08\x0A-\x1F\x7F]/';

    private int $second = -1;

    private string $date = '';

    public function __construct(private readonly Clock $clock) {}

    /**
     * @param bool $keepAlive whether the connection is kept; RequestParser::keepsAlive(), unless the server wants to
     *                        close. A client of HTTP/1.0 must be told that it is, and one of 1.1 does not mind
     * @param string $method of the request: HEAD is answered without the body
     *
     * @throws InvalidResponse
     */
    public function write(Response $response, bool $keepAlive, string $method): string
    {
        $status = $response->status;
        $second = intdiv($this->clock->micros(), 1_000_000);

        if ($second !== $this->second) {
            $this->second = $second;
            $this->date = gmdate('D, d M Y H:i:s', $second).' GMT';
        }

        if (preg_match('/\A[2-5]\d\d\z/', (string) $status) !== 1) {
            throw InvalidResponse::status($status);
        }

        $head = "HTTP/1.1 {$status} ".ReasonPhrase::of($status)."\r\nDate: {$this->date}\r\n"
            .($keepAlive ? "Connection: keep-alive\r\n" : "Connection: close\r\n");

        foreach ($response->headers as $name => $value) {
            $head .= $this->header("{$name}", $value);
        }

        // RFC 9110, section 8.6: never in a 204; in a 304 it would be the length of what is not sent.
        if ($status === 204 || $status === 304) {
            return "{$head}\r\n";
        }

        $body = $status === 205 ? '' : $response->body;

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

        return isset(self::OURS[strtolower($name)]) ? '' : "{$name}: {$value}\r\n";
    }
}
