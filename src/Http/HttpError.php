<?php

declare(strict_types=1);

namespace Headroom\Http;

use Headroom\Support\TerminalText;

/**
 * Why bytes are no HTTP message. The start of the next message is unknown, so the connection is closed after the
 * response. The detail may be logged: it shows no values that may be secrets, such as queries and credentials.
 *
 * @internal
 */
final readonly class HttpError
{
    /**
     * @param int<400, 599> $status
     * @param string $code stable
     * @param string $detail the value seen, the limit and the next step
     */
    private function __construct(public int $status, public string $code, public string $detail) {}

    public static function tls(): self
    {
        return new self(
            400,
            'tls_on_plain_port',
            'The connection began with a TLS handshake, and this port speaks plain HTTP. Use http://, or put a proxy'
                .' that terminates TLS in front of it.',
        );
    }

    public static function version(string $seen): self
    {
        return new self(
            505,
            'version_not_supported',
            self::show($seen).' is not supported. Use HTTP/1.1 (curl: --http1.1).',
        );
    }

    public static function requestLine(string $seen): self
    {
        return new self(
            400,
            'bad_request_line',
            'The request line is '.self::show(self::withoutQuery($seen))
                .'. It must be a method, a target and HTTP/1.1, with one space between them.',
        );
    }

    public static function emptyLines(int $most): self
    {
        return new self(
            400,
            'bad_request_line',
            "More than {$most} empty lines came before the request line. Send none.",
        );
    }

    public static function method(string $seen): self
    {
        return new self(
            400,
            'bad_method',
            'The method is '.self::show($seen).'. It must be a token of letters, such as POST.',
        );
    }

    public static function target(string $seen): self
    {
        return new self(
            400,
            'bad_target',
            'The request target is '.self::show(self::withoutQuery($seen))
                .'. It must be a path that begins with /, with everything but visible ASCII percent-encoded and'
                .' no fragment.',
        );
    }

    public static function connect(): self
    {
        return new self(
            400,
            'bad_target',
            'CONNECT asks for a tunnel, and this server is not a proxy. Send POST, GET or OPTIONS with a path.',
        );
    }

    public static function targetTooLong(int $limit): self
    {
        return new self(
            414,
            'uri_too_long',
            "The request line has more than {$limit} bytes. Send long values in the body.",
        );
    }

    public static function headersTooLarge(int $limit): self
    {
        return new self(
            431,
            'headers_too_large',
            "The header section has more than {$limit} bytes. Leave out cookies, and send long values in the body.",
        );
    }

    public static function tooManyHeaders(int $limit): self
    {
        return new self(
            431,
            'too_many_headers',
            "The request has more than {$limit} header fields. Leave out those that the server does not read.",
        );
    }

    public static function lineEnding(): self
    {
        return new self(
            400,
            'bad_line_ending',
            'A carriage return or a line feed stands alone in the first line or the header section.'
                .' Every line must end with both, and no value may contain either.',
        );
    }

    public static function foldedHeader(): self
    {
        return new self(
            400,
            'folded_header',
            'A header line begins with white space. Folded values are obsolete (RFC 9112, section 5.2):'
                .' write each field in one line.',
        );
    }

    public static function headerName(string $line): self
    {
        $name = substr($line, 0, strcspn($line, str_contains($line, ':') ? ':' : " \t"));

        return new self(
            400,
            'bad_header_name',
            'A header line begins with '.self::show($name)
                .'. It must begin with a name of letters, digits and hyphens and a colon right after it.',
        );
    }

    public static function headerValue(string $name): self
    {
        return new self(
            400,
            'bad_header_value',
            'The value of the header '.self::show($name).' has a control character. Encode it.',
        );
    }

    public static function noHost(): self
    {
        return new self(400, 'host_missing', 'The request has no Host header. HTTP/1.1 requires exactly one.');
    }

    public static function host(string $seen): self
    {
        return new self(
            400,
            'bad_host',
            'The host is '.self::show($seen).'. It must be one name or address, with a port or without one.',
        );
    }

    public static function lengthTwice(): self
    {
        return new self(
            400,
            'ambiguous_length',
            'Content-Length and Transfer-Encoding are both present, so two readers could see two different bodies.'
                .' Send one of them.',
        );
    }

    public static function codingInOldVersion(): self
    {
        return new self(
            400,
            'ambiguous_length',
            'HTTP/1.0 has no Transfer-Encoding. Use HTTP/1.1, or send a Content-Length.',
        );
    }

    public static function contentLength(string $seen): self
    {
        return new self(
            400,
            'bad_content_length',
            'Content-Length is '.self::show($seen).'. It must be one number in digits.',
        );
    }

    public static function lengthRequired(): self
    {
        return new self(411, 'length_required', 'A request of HTTP/1.0 with a body needs a Content-Length.');
    }

    public static function coding(string $seen): self
    {
        return new self(
            501,
            'unsupported_transfer_coding',
            'Transfer-Encoding is '.self::show($seen)
                .'. Only chunked is supported; use Content-Encoding for a compressed body.',
        );
    }

    public static function bodyTooLarge(int $limit): self
    {
        return new self(413, 'body_too_large', "The body has more than {$limit} bytes. Send it in several requests.");
    }

    public static function chunk(string $seen): self
    {
        return new self(
            400,
            'bad_chunk',
            'A chunk of the body begins with '.self::show(substr($seen, 0, 20))
                .'. It must begin with its size in at most 16 hexadecimal digits and a line end.',
        );
    }

    public static function chunkEnd(): self
    {
        return new self(
            400,
            'bad_chunk',
            'A chunk of the body is longer than its size says. A line end must follow the last byte.',
        );
    }

    public static function chunkExtensions(int $limit): self
    {
        return new self(
            400,
            'chunk_extensions_too_large',
            "The chunks of the body have extensions of more than {$limit} bytes. Leave them out:"
                .' they are ignored.',
        );
    }

    public static function expectation(string $seen): self
    {
        return new self(417, 'expectation_failed', 'Expect is '.self::show($seen).'. Only 100-continue is supported.');
    }

    private static function withoutQuery(string $seen): string
    {
        return str_contains($seen, '?') ? explode('?', $seen, 2)[0].'?…' : $seen;
    }

    private static function show(string $seen): string
    {
        return "'".TerminalText::name(mb_scrub($seen, 'UTF-8'), 80)."'";
    }
}
