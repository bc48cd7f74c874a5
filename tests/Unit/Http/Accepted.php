<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

/**
 * Bytes that are requests, and which.
 *
 * @phpstan-import-type Seen from Wire
 */
final readonly class Accepted
{
    private const HOST = ['host' => 'a.example'];

    /** @return iterable<string, array{string, list<Seen|string>}> */
    public static function cases(): iterable
    {
        yield from self::requestLines();
        yield from self::headers();
        yield from self::bodies();
        yield from self::streams();
    }

    /**
     * @param array<string, string> $headers
     * @return Seen
     */
    private static function request(
        string $method,
        string $path,
        string $query = '',
        array $headers = self::HOST,
        string $body = '',
    ): array {
        return [$method, $path, $query, $headers, $body];
    }

    /** @return iterable<string, array{string, list<Seen|string>}> */
    private static function requestLines(): iterable
    {
        $host = "Host: a.example\r\n\r\n";

        yield 'a path' => ["GET /a HTTP/1.1\r\n{$host}", [self::request('GET', '/a')]];
        yield 'path and query' => ["GET /a?b=c?d HTTP/1.1\r\n{$host}", [self::request('GET', '/a', 'b=c?d')]];
        yield 'an empty query' => ["GET /? HTTP/1.1\r\n{$host}", [self::request('GET', '/')]];
        yield 'nothing is decoded' => [
            "GET /%41/../%2e?%00 HTTP/1.1\r\n{$host}", [self::request('GET', '/%41/../%2e', '%00')],
        ];
        yield 'what browsers leave as it is' => [
            "GET /a|b?{\"}^` HTTP/1.1\r\n{$host}", [self::request('GET', '/a|b', '{"}^`')],
        ];
        yield 'two slashes are a path' => [
            "GET //evil.example/ HTTP/1.1\r\n{$host}", [self::request('GET', '//evil.example/')],
        ];
        yield 'any token is a method' => ["M-SEARCH! / HTTP/1.1\r\n{$host}", [self::request('M-SEARCH!', '/')]];
        yield 'methods are case-sensitive' => ["get / HTTP/1.1\r\n{$host}", [self::request('get', '/')]];
        yield 'OPTIONS of the server' => ["OPTIONS * HTTP/1.1\r\n{$host}", [self::request('OPTIONS', '*')]];
        yield 'absolute form, its host wins' => [
            "GET http://b.example:80/c?d HTTP/1.1\r\n{$host}",
            [self::request('GET', '/c', 'd', ['host' => 'b.example:80'])],
        ];
        yield 'absolute form without a path' => [
            "GET HTTPS://b.example HTTP/1.1\r\n{$host}", [self::request('GET', '/', '', ['host' => 'b.example'])],
        ];
        yield 'absolute form, a query only' => [
            "GET http://b.example?d=/e HTTP/1.1\r\n{$host}",
            [self::request('GET', '/', 'd=/e', ['host' => 'b.example'])],
        ];
        yield 'absolute form of OPTIONS' => [
            "OPTIONS http://b.example HTTP/1.1\r\n{$host}",
            [self::request('OPTIONS', '*', '', ['host' => 'b.example'])],
        ];
        yield 'absolute form of OPTIONS of the root' => [
            "OPTIONS http://b.example/ HTTP/1.1\r\n{$host}",
            [self::request('OPTIONS', '/', '', ['host' => 'b.example'])],
        ];
        yield 'a higher minor version' => ["GET / HTTP/1.7\r\n{$host}", [self::request('GET', '/')]];
        yield 'a request line as long as it may be' => [
            'GET /'.str_repeat('a', 86)." HTTP/1.1\r\n{$host}", [self::request('GET', '/'.str_repeat('a', 86))],
        ];
        yield 'empty lines before it' => ["\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n{$host}", [self::request('GET', '/')]];
        yield 'HTTP/1.0 without a host' => ["GET / HTTP/1.0\r\n\r\n", [self::request('GET', '/', '', [])]];
        yield 'HTTP/1.0 with a host' => ["GET / HTTP/1.0\r\n{$host}", [self::request('GET', '/')]];
    }

    /** @return iterable<string, array{string, list<Seen|string>}> */
    private static function headers(): iterable
    {
        $get = "GET / HTTP/1.1\r\nHost: a.example\r\n";

        yield 'names in lower case, values trimmed' => [
            "{$get}X-MiXeD:\t a  b \t\r\n\r\n", [self::request('GET', '/', '', self::HOST + ['x-mixed' => 'a  b'])],
        ];
        yield 'no space after the colon' => [
            "{$get}a:b\r\n\r\n", [self::request('GET', '/', '', self::HOST + ['a' => 'b'])],
        ];
        yield 'an empty value' => [
            "{$get}a:\r\nb: \t \r\n\r\n", [self::request('GET', '/', '', self::HOST + ['a' => '', 'b' => ''])],
        ];
        yield 'colons in a value' => [
            "{$get}a: b:c:d\r\n\r\n", [self::request('GET', '/', '', self::HOST + ['a' => 'b:c:d'])],
        ];
        yield 'tabs and bytes over 127 in a value' => [
            "{$get}a: b\tc\xFF\xC3\xA9\r\n\r\n",
            [self::request('GET', '/', '', self::HOST + ['a' => "b\tc\xFF\xC3\xA9"])],
        ];
        yield 'several of one name' => [
            "{$get}a: 1\r\nb: 2\r\nA: 3\r\na:\r\n\r\n",
            [self::request('GET', '/', '', self::HOST + ['a' => '1, 3, ', 'b' => '2'])],
        ];
        yield 'all token characters in a name' => [
            "{$get}!#$%&'*+-.^_`|~0z: 1\r\n\r\n",
            [self::request('GET', '/', '', self::HOST + ["!#$%&'*+-.^_`|~0z" => '1'])],
        ];
        yield 'names that PHP would make integers of' => [
            "{$get}7: a\r\n-7: b\r\n07: c\r\n\r\n", [self::request('GET', '/', '', self::HOST + ['07' => 'c'])],
        ];
        yield 'percent signs are left alone' => [
            "{$get}Cookie: __%48ost-a=1\r\n\r\n",
            [self::request('GET', '/', '', self::HOST + ['cookie' => '__%48ost-a=1'])],
        ];
        yield 'an underscore is no hyphen' => [
            "{$get}Content_Length: 5\r\n\r\n", [self::request('GET', '/', '', self::HOST + ['content_length' => '5'])],
        ];
        yield 'as many fields as there may be' => [
            "{$get}a:1\r\nb:1\r\nc:1\r\nd:1\r\ne:1\r\nf:1\r\ng:1\r\n\r\n",
            [self::request('GET', '/', '', self::HOST + array_fill_keys(['a', 'b', 'c', 'd', 'e', 'f', 'g'], '1'))],
        ];
        yield 'as large as the section may be' => [
            "{$get}a:".str_repeat('b', 377)."\r\n\r\n",
            [self::request('GET', '/', '', self::HOST + ['a' => str_repeat('b', 377)])],
        ];

        foreach (['127.0.0.1:80', '[::1]', '[2001:db8::1]:8080', 'a_b', 'x:', '%41', 'A.Example'] as $value) {
            yield "host {$value}" => [
                "GET / HTTP/1.1\r\nHost: {$value}\r\n\r\n", [self::request('GET', '/', '', ['host' => $value])],
            ];
        }
    }

    /** @return iterable<string, array{string, list<Seen|string>}> */
    private static function bodies(): iterable
    {
        $post = "POST / HTTP/1.1\r\nHost: a.example\r\n";
        $body = static fn (string $body): array
            => [self::request('POST', '/', '', self::HOST + ['content-length' => (string) strlen($body)], $body)];
        $chunked = static fn (string $body): array
            => [self::request('POST', '/', '', self::HOST + ['transfer-encoding' => 'chunked'], $body)];

        yield 'no length is no body' => ["{$post}\r\n", [self::request('POST', '/')]];
        yield 'length 0' => ["{$post}Content-Length: 0\r\n\r\n", $body('')];
        yield 'a body' => ["{$post}Content-Length: 5\r\n\r\n\0\r\n\r\n", $body("\0\r\n\r\n")];
        yield 'a body of GET' => [
            "GET / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1\r\n\r\nx",
            [self::request('GET', '/', '', self::HOST + ['content-length' => '1'], 'x')],
        ];
        yield 'a length with zeros before it' => [
            "{$post}Content-Length: 0000000000000000000003\r\n\r\nabc",
            [self::request('POST', '/', '', self::HOST + ['content-length' => '0000000000000000000003'], 'abc')],
        ];
        yield 'as long as it may be' => [
            "{$post}Content-Length: 64\r\n\r\n".str_repeat('a', 64), $body(str_repeat('a', 64)),
        ];
        yield 'a body of HTTP/1.0' => [
            "POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nab",
            [self::request('POST', '/', '', ['content-length' => '2'], 'ab')],
        ];
        yield 'Expect' => [
            "{$post}Expect: 100-Continue\r\nContent-Length: 1\r\n\r\nx",
            [self::request('POST', '/', '', self::HOST + ['expect' => '100-Continue', 'content-length' => '1'], 'x')],
        ];

        $post .= "Transfer-Encoding: chunked\r\n\r\n";
        yield 'no chunks' => ["{$post}0\r\n\r\n", $chunked('')];
        yield 'chunks' => ["{$post}5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", $chunked('hello world')];
        yield 'sizes in upper and lower case, with zeros' => [
            "{$post}A\r\n0123456789\r\n000000000000000a\r\n0123456789\r\n0000\r\n\r\n",
            $chunked('01234567890123456789'),
        ];
        yield 'line ends in a chunk' => ["{$post}6\r\n\r\n0\r\n\r\r\n0\r\n\r\n", $chunked("\r\n0\r\n\r")];
        yield 'extensions' => ["{$post}1;a;b=c; d = \"e;\\\"f\\\\\"\r\nx\r\n0 ;g\r\n\r\n", $chunked('x')];
        yield 'trailers are dropped' => [
            "{$post}1\r\nx\r\n0\r\nHost: evil.example\r\nContent-Length: 9\r\n\r\n", $chunked('x'),
        ];
        yield 'chunks as long as they may be together' => [
            "{$post}20\r\n".str_repeat('a', 32)."\r\n20\r\n".str_repeat('b', 32)."\r\n0\r\n\r\n",
            $chunked(str_repeat('a', 32).str_repeat('b', 32)),
        ];
        yield 'the coding in upper case' => [
            "POST / HTTP/1.1\r\nHost: a.example\r\ntransfer-encoding: CHUNKED\r\n\r\n0\r\n\r\n",
            [self::request('POST', '/', '', self::HOST + ['transfer-encoding' => 'CHUNKED'])],
        ];
    }

    /** @return iterable<string, array{string, list<Seen|string>}> */
    private static function streams(): iterable
    {
        $a = "GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n";
        $b = "POST /b HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\n\r\nabc";
        $c = "POST /c HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n";
        $close = "GET /z HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n";
        $requests = [
            self::request('GET', '/a'),
            self::request('POST', '/b', '', self::HOST + ['content-length' => '3'], 'abc'),
            self::request('POST', '/c', '', self::HOST + ['transfer-encoding' => 'chunked'], 'x'),
        ];
        $last = self::request('GET', '/z', '', self::HOST + ['connection' => 'close']);

        yield 'nothing' => ['', []];
        yield 'the beginning of one' => ['GET / HT', []];
        yield 'pipelined' => ["{$a}{$b}{$c}", $requests];
        yield 'pipelined the other way round' => ["{$c}{$b}{$a}{$a}", [...array_reverse($requests), $requests[0]]];
        yield 'empty lines between' => ["{$a}\r\n\r\n\r\n\r\n{$b}\r\n{$a}", [$requests[0], $requests[1], $requests[0]]];
        yield 'the beginning of a third' => ["{$a}{$b}POST /c HTTP/1.1\r\nHo", [$requests[0], $requests[1]]];
        yield 'a body that does not come whole' => [
            "{$a}POST /b HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\n\r\nab", [$requests[0]],
        ];
        yield 'nothing after close' => ["{$a}{$close}{$b}", [$requests[0], $last]];
        yield 'nothing after HTTP/1.0' => ["GET / HTTP/1.0\r\n\r\n{$a}", [self::request('GET', '/', '', [])]];
        yield 'HTTP/1.0 that is kept' => [
            "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n{$a}",
            [self::request('GET', '/', '', ['connection' => 'Keep-Alive']), $requests[0]],
        ];
        yield 'HTTP/1.0 that wants both' => [
            "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n{$a}",
            [self::request('GET', '/', '', ['connection' => 'keep-alive, close'])],
        ];
        yield 'HTTP/1.0 that upgrades and is kept' => [
            "GET / HTTP/1.0\r\nConnection: upgrade ,keep-alive\r\n\r\n{$a}",
            [self::request('GET', '/', '', ['connection' => 'upgrade ,keep-alive']), $requests[0]],
        ];
        yield 'close among other options' => [
            "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: TE, Close\r\n\r\n{$a}",
            [self::request('GET', '/', '', self::HOST + ['connection' => 'TE, Close'])],
        ];
        yield 'an option that only looks like close' => [
            "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: enclose\r\n\r\n{$a}",
            [self::request('GET', '/', '', self::HOST + ['connection' => 'enclose']), $requests[0]],
        ];
        yield 'options that only begin like close' => [
            "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: closed, close-not\r\n\r\n{$a}",
            [self::request('GET', '/', '', self::HOST + ['connection' => 'closed, close-not']), $requests[0]],
        ];
        yield 'nothing after a refusal' => ["{$a}GET / HTTP/2.0\r\n{$a}", [$requests[0], '505 version_not_supported']];
    }
}
