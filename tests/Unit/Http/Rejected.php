<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

/**
 * Bytes that are no request, and what is said of them.
 */
final readonly class Rejected
{
    /** @return iterable<string, array{string, string}> */
    public static function cases(): iterable
    {
        yield from self::requestLines();
        yield from self::headers();
        yield from self::limits();
        yield from self::bodies();
    }

    /** @return iterable<string, array{string, string}> */
    private static function requestLines(): iterable
    {
        $host = "\r\nHost: a.example\r\n\r\n";

        yield 'a TLS handshake' => ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", '400 tls_on_plain_port'];
        yield 'HTTP/2 with prior knowledge' => ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", '505 version_not_supported'];
        yield 'HTTP/2.0' => ["GET / HTTP/2.0{$host}", '505 version_not_supported'];
        yield 'HTTP/3' => ["GET / HTTP/3{$host}", '505 version_not_supported'];
        yield 'HTTP/0.9 by name' => ["GET / HTTP/0.9{$host}", '505 version_not_supported'];
        yield 'HTTP/0.9 as it was' => ["GET /\r\n", '400 bad_request_line'];
        yield 'HTTP/1.10' => ["GET / HTTP/1.10{$host}", '400 bad_request_line'];
        yield 'http/1.1' => ["GET / http/1.1{$host}", '400 bad_request_line'];
        yield 'another protocol' => ["GET / RTSP/1.0{$host}", '400 bad_request_line'];
        yield 'no target' => ["GET HTTP/1.1{$host}", '400 bad_request_line'];
        yield 'an empty target' => ["GET  HTTP/1.1{$host}", '400 bad_request_line'];
        yield 'no method' => [" / HTTP/1.1{$host}", '400 bad_request_line'];
        yield 'a space at the end' => ["GET / HTTP/1.1 {$host}", '400 bad_request_line'];
        yield 'two spaces' => ["GET  / HTTP/1.1{$host}", '400 bad_request_line'];
        yield 'a space in the target' => ["GET /a b HTTP/1.1{$host}", '400 bad_request_line'];
        yield 'a tab for a space' => ["GET\t/ HTTP/1.1{$host}", '400 bad_request_line'];
        yield 'a method with a colon' => ["GET: / HTTP/1.1{$host}", '400 bad_method'];
        yield 'a method in brackets' => ["G[E]T / HTTP/1.1{$host}", '400 bad_method'];
        yield 'a status line' => ["HTTP/1.1 200 OK{$host}", '400 bad_request_line'];
        yield 'a byte over 127' => ["\x80/ HTTP/1.1{$host}", '400 bad_request_line'];
        yield 'a NUL in the target' => ["GET /\0 HTTP/1.1{$host}", '400 bad_target'];
        yield 'a byte over 127 in the target' => ["GET /\xC3\xA9 HTTP/1.1{$host}", '400 bad_target'];
        yield 'a fragment' => ["GET /a#b HTTP/1.1{$host}", '400 bad_target'];
        yield 'a fragment of the absolute form' => ["GET http://a/#b HTTP/1.1{$host}", '400 bad_target'];
        yield 'a path that does not begin with a slash' => ["GET a HTTP/1.1{$host}", '400 bad_target'];
        yield 'an asterisk for GET' => ["GET * HTTP/1.1{$host}", '400 bad_target'];
        yield 'another scheme' => ["GET ftp://a/ HTTP/1.1{$host}", '400 bad_target'];
        yield 'CONNECT' => ["CONNECT a.example:443 HTTP/1.1{$host}", '400 bad_target'];
        yield 'CONNECT of a path' => ["CONNECT / HTTP/1.1{$host}", '400 bad_target'];
        yield 'an authority for GET' => ["GET a.example:443 HTTP/1.1{$host}", '400 bad_target'];
        yield 'absolute form, a user' => ["GET http://u@a/ HTTP/1.1{$host}", '400 bad_host'];
        yield 'absolute form, no host' => ["GET http:///a HTTP/1.1{$host}", '400 bad_host'];
        yield 'a line feed before it' => ["\nGET / HTTP/1.1{$host}", '400 bad_line_ending'];
        yield 'a carriage return before it' => ["\rGET / HTTP/1.1{$host}", '400 bad_line_ending'];
        yield 'too many empty lines before it' => ["\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1{$host}", '400 bad_request_line'];
        yield 'a request line that ends with a line feed' => [
            "GET / HTTP/1.1\nHost: a.example\r\n\r\n", '400 bad_line_ending',
        ];
        yield 'a carriage return in the request line' => [
            "GET / HTTP/1.1\rHost: a.example\r\n\r\n", '400 bad_line_ending',
        ];
        yield 'a second carriage return' => ["GET / HTTP/1.1\r\r\nHost: a.example\r\n\r\n", '400 bad_line_ending'];
        yield 'line feeds only' => ["GET / HTTP/1.1\nHost: a.example\n\n", '400 bad_line_ending'];
    }

    /** @return iterable<string, array{string, string}> */
    private static function headers(): iterable
    {
        $get = "GET / HTTP/1.1\r\nHost: a.example\r\n";

        yield 'no host' => ["GET / HTTP/1.1\r\n\r\n", '400 host_missing'];
        yield 'no host, absolute form' => ["GET http://a/ HTTP/1.1\r\n\r\n", '400 host_missing'];
        yield 'two hosts' => ["{$get}Host: b.example\r\n\r\n", '400 bad_host'];
        yield 'twice the same host' => ["{$get}host: a.example\r\n\r\n", '400 bad_host'];
        yield 'two hosts, HTTP/1.0' => ["GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", '400 bad_host'];

        foreach ([
            '', 'a b', 'a/b', 'u@a', 'a:b', 'a:123456', 'a:80:80', '[::1', '[g]', "\xFF", 'a,%4', 'a?b', 'a#b', '"a"',
            'a\\b',
        ] as $value) {
            yield "host '{$value}'" => ["GET / HTTP/1.1\r\nHost: {$value}\r\n\r\n", '400 bad_host'];
        }

        foreach (['Fo@', "Foo\x01", '', 'a b', "a\xE9", 'a(b)', 'a"', "a\0"] as $name) {
            yield "the name '{$name}'" => ["{$get}{$name}: 1\r\n\r\n", '400 bad_header_name'];
        }

        yield 'a space before the colon' => ["{$get}Content-Length : 5\r\n\r\n", '400 bad_header_name'];
        yield 'a tab before the colon' => ["{$get}a\t:b\r\n\r\n", '400 bad_header_name'];
        yield 'no colon' => ["{$get}abc\r\n\r\n", '400 bad_header_name'];
        yield 'a folded value' => ["{$get}a: b\r\n c\r\n\r\n", '400 folded_header'];
        yield 'a value folded by a tab' => ["{$get}a: b\r\n\tc\r\n\r\n", '400 folded_header'];
        yield 'a fold of nothing' => ["{$get}a: b\r\n \r\n\r\n", '400 folded_header'];
        yield 'a fold of the request line' => ["GET / HTTP/1.1\r\n Host: a\r\n\r\n", '400 folded_header'];

        foreach (["\0", "\x01", "\x0B", "\x1B", "\x7F"] as $byte) {
            yield sprintf('0x%02X in a value', ord($byte)) => ["{$get}a: b{$byte}c\r\n\r\n", '400 bad_header_value'];
        }

        yield 'a line feed in a value' => ["{$get}a: b\nc: d\r\n\r\n", '400 bad_line_ending'];
        yield 'a carriage return in a value' => ["{$get}a: b\rc: d\r\n\r\n", '400 bad_line_ending'];
        yield 'a carriage return for a value' => [
            "{$get}a:\rTransfer-Encoding: chunked\r\n\r\n", '400 bad_line_ending',
        ];
        yield 'a second carriage return of a header line' => ["{$get}a: b\r\r\n\r\n", '400 bad_line_ending'];
        yield 'a line feed after the last header' => ["{$get}a: b\n\r\n", '400 bad_line_ending'];
        yield 'an empty line of a line feed' => ["{$get}\n", '400 bad_line_ending'];
        yield 'an empty line of a line feed alone, no header' => ["GET / HTTP/1.1\r\n\n", '400 bad_line_ending'];
        yield 'two line feeds in a value' => ["{$get}a: b\n\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", '400 bad_line_ending'];
        yield 'an earlier fault than the line feeds' => ["{$get}a b: c\r\nd: e\n\n", '400 bad_header_name'];
        yield 'a carriage return before the empty line' => [
            "{$get}\rZGET /evil: HTTP/1.1\r\nHost: a\r\n\r\n", '400 bad_line_ending',
        ];
        yield 'an expectation that nobody knows' => ["{$get}Expect: 200-ok\r\n\r\n", '417 expectation_failed'];
        yield 'two expectations' => [
            "{$get}Expect: 100-continue\r\nExpect: 100-continue\r\n\r\n", '417 expectation_failed',
        ];
    }

    /** @return iterable<string, array{string, string}> */
    private static function limits(): iterable
    {
        $get = "GET / HTTP/1.1\r\nHost: a.example\r\n";
        $host = " HTTP/1.1\r\nHost: a.example\r\n\r\n";

        yield 'a request line that is a byte too long' => ['GET /'.str_repeat('a', 87).$host, '414 uri_too_long'];
        yield 'a request line without an end' => [str_repeat('a', 102), '414 uri_too_long'];
        yield 'a long request line that ends wrongly' => [
            'GET /'.str_repeat('a', 100)." HTTP/1.1\n", '414 uri_too_long',
        ];
        yield 'a section that is a byte too large' => [
            "{$get}a:".str_repeat('b', 378)."\r\n\r\n", '431 headers_too_large',
        ];
        yield 'a section without an end' => ["{$get}a: ".str_repeat('b', 400), '431 headers_too_large'];
        yield 'one header too many' => [
            "{$get}a:1\r\nb:1\r\nc:1\r\nd:1\r\ne:1\r\nf:1\r\ng:1\r\ng:1\r\n\r\n", '431 too_many_headers',
        ];
        yield 'one header too many, line feeds only' => [
            "{$get}a:1\r\nb:1\r\nc:1\r\nd:1\r\ne:1\r\nf:1\r\ng:1\r\ng:1\n\n", '431 too_many_headers',
        ];
        yield 'a fault before too many headers' => [
            "{$get}a b:1\r\nb:1\r\nc:1\r\nd:1\r\ne:1\r\nf:1\r\ng:1\r\ng:1\r\nh:1\r\n\r\n", '400 bad_header_name',
        ];

        // By its length, before any of it.
        yield 'a body that is a byte too large' => ["{$get}Content-Length: 65\r\n\r\n", '413 body_too_large'];
        yield 'a body that is told with Expect to be too large' => [
            "{$get}Expect: 100-continue\r\nContent-Length: 65\r\n\r\n", '413 body_too_large',
        ];

        foreach ([
            '9223372036854775807',
            '9223372036854775808',
            '18446744073709551617',
            str_repeat('9', 100),
            str_repeat('9', 308),
            str_repeat('9', 309),
            '1'.str_repeat('0', 320),
        ] as $length) {
            yield "a length of {$length}" => ["{$get}Content-Length: {$length}\r\n\r\n", '413 body_too_large'];
        }

        $get .= "Transfer-Encoding: chunked\r\n\r\n";
        yield 'a chunk that is too large' => ["{$get}41\r\n", '413 body_too_large'];
        yield 'chunks that are too large together' => [
            "{$get}40\r\n".str_repeat('a', 64)."\r\n1\r\n", '413 body_too_large',
        ];
        yield 'a chunk of 2^63' => ["{$get}8000000000000000\r\n", '413 body_too_large'];
        yield 'a chunk of 2^64-1' => ["{$get}FFFFFFFFFFFFFFFF\r\n", '413 body_too_large'];
        yield 'trailers that are too large' => ["{$get}0\r\na: ".str_repeat('b', 400), '431 headers_too_large'];
        yield 'too many trailers' => ["{$get}0\r\n".str_repeat("a:\r\n", 9)."\r\n", '431 too_many_headers'];
        yield 'a long extension' => ["{$get}1;a=".str_repeat('b', 300), '400 chunk_extensions_too_large'];
        yield 'many extensions' => [
            $get.str_repeat('1;'.str_repeat('a', 40)."\r\nx\r\n", 10), '400 chunk_extensions_too_large',
        ];
    }

    /** @return iterable<string, array{string, string}> */
    private static function bodies(): iterable
    {
        $post = "POST / HTTP/1.1\r\nHost: a.example\r\n";

        foreach (['', '+5', '-5', '5 5', '5,5', '0x5', '5.0', '5e0', '٥', '5;', "5\t5", 'five'] as $length) {
            yield "a length of '{$length}'" => [
                "{$post}Content-Length: {$length}\r\n\r\nhello", '400 bad_content_length',
            ];
        }

        yield 'two lengths' => [
            "{$post}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", '400 bad_content_length',
        ];
        yield 'twice the same length' => [
            "{$post}Content-Length: 5\r\ncontent-length: 5\r\n\r\nhello", '400 bad_content_length',
        ];
        yield 'no length, HTTP/1.0' => ["POST / HTTP/1.0\r\n\r\nhello", '411 length_required'];
        yield 'a coding in HTTP/1.0' => [
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", '400 ambiguous_length',
        ];

        foreach ([
            '', 'identity', 'gzip', 'gzip, chunked', 'chunked, identity', 'chunked, chunked', 'xchunked',
            'chunked;q=1', '"chunked"', 'chunked,', ', chunked',
        ] as $coding) {
            yield "the coding '{$coding}'" => [
                "{$post}Transfer-Encoding: {$coding}\r\n\r\n0\r\n\r\n", '501 unsupported_transfer_coding',
            ];
        }

        $post .= "Transfer-Encoding: chunked\r\n\r\n";

        foreach ([
            '', 'G', '-1', '+1', '0x1', ' 1', '1 ', "1\t", '1 a', '00000000000000001', '1;', '1;;a', '1; =a', '1;a=',
            '1;a="b', '1;a="b"c', "1;a=\"\x01\"", "1;\xE9", "1;a\0", '1,a', "1\0", "1;a=\"\\\x7F\"",
        ] as $size) {
            yield "a chunk that begins with '{$size}'" => ["{$post}{$size}\r\nx\r\n0\r\n\r\n", '400 bad_chunk'];
        }

        yield 'a size that ends with a line feed' => ["{$post}1\nx\r\n0\r\n\r\n", '400 bad_chunk'];
        yield 'an extension with a line feed' => ["{$post}1;a\nx\r\n0\r\n\r\n", '400 bad_chunk'];
        yield 'an extension with a carriage return' => ["{$post}1;a\rb\r\nx\r\n0\r\n\r\n", '400 bad_chunk'];
        yield 'two carriage returns after a size' => ["{$post}1\r\r\nx\r\n0\r\n\r\n", '400 bad_chunk'];
        yield 'a chunk longer than its size' => ["{$post}1\r\nxy\r\n0\r\n\r\n", '400 bad_chunk'];
        yield 'a chunk that ends with a line feed' => ["{$post}1\r\nx\n0\r\n\r\n", '400 bad_chunk'];
        yield 'a chunk that ends with a carriage return' => ["{$post}1\r\nx\r0\r\n\r\n", '400 bad_chunk'];
        yield 'a trailer with a space before its colon' => ["{$post}0\r\na : b\r\n\r\n", '400 bad_header_name'];
        yield 'a folded trailer' => ["{$post}0\r\na: b\r\n c\r\n\r\n", '400 folded_header'];
        yield 'a request for a trailer' => ["{$post}0\r\nGET /evil HTTP/1.1\r\nHost: a\r\n\r\n", '400 bad_header_name'];
        yield 'trailers that end with line feeds' => ["{$post}0\r\n\n", '400 bad_line_ending'];
    }
}
