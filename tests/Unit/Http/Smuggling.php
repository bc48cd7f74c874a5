<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

/**
 * One stream, two readers, two opinions of where the second request begins: by name, as they were found in servers and
 * proxies. "SMUGGLED" must never come out as a path.
 */
final readonly class Smuggling
{
    /** @return iterable<string, array{string, string}> bytes, and with what they are refused */
    public static function cases(): iterable
    {
        $post = "POST / HTTP/1.1\r\nHost: a.example\r\n";
        $smuggled = "GET /SMUGGLED HTTP/1.1\r\nHost: a.example\r\n\r\n";
        $length = strlen($smuggled);

        yield 'CL.TE' => [
            "{$post}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{$smuggled}",
            '400 ambiguous_length',
        ];
        yield 'TE.CL' => [
            "{$post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n5c\r\n{$smuggled}\r\n0\r\n\r\n",
            '400 ambiguous_length',
        ];
        yield 'TE.TE, the second unknown' => [
            "{$post}Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n{$smuggled}",
            '501 unsupported_transfer_coding',
        ];
        yield 'TE.TE, the first unknown' => [
            "{$post}Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{$smuggled}",
            '501 unsupported_transfer_coding',
        ];
        yield 'TE.TE, an empty one' => [
            "{$post}Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{$smuggled}",
            '501 unsupported_transfer_coding',
        ];
        yield 'CL.CL' => [
            "{$post}Content-Length: 0\r\nContent-Length: {$length}\r\n\r\n{$smuggled}", '400 bad_content_length',
        ];
        yield 'CL.CL in one list' => [
            "{$post}Content-Length: 0, {$length}\r\n\r\n{$smuggled}", '400 bad_content_length',
        ];
        yield 'CL.CL, the same one in one list' => [
            "{$post}Content-Length: {$length}, {$length}\r\n\r\n{$smuggled}", '400 bad_content_length',
        ];
        yield 'CL with a sign' => ["{$post}Content-Length: +{$length}\r\n\r\n{$smuggled}", '400 bad_content_length'];
        yield 'CL with an underscore, as Python reads numbers' => [
            "{$post}Content-Length: 1_0\r\n\r\n{$smuggled}", '400 bad_content_length',
        ];
        yield 'CL in hexadecimal' => ["{$post}Content-Length: 0x0\r\n\r\n{$smuggled}", '400 bad_content_length'];
        yield 'CL that wraps at 2^32' => ["{$post}Content-Length: 4294967296\r\n\r\n{$smuggled}", '413 body_too_large'];
        yield 'CL that wraps at 2^64' => [
            "{$post}Content-Length: 18446744073709551616\r\n\r\n{$smuggled}", '413 body_too_large',
        ];
        yield 'CL of more digits than a float holds' => [
            "{$post}Content-Length: ".str_repeat('9', 320)."\r\n\r\n{$smuggled}", '413 body_too_large',
        ];
        yield 'space before the colon of CL' => [
            "{$post}Content-Length : {$length}\r\n\r\n{$smuggled}", '400 bad_header_name',
        ];
        yield 'space before the colon of TE' => [
            "{$post}Transfer-Encoding : chunked\r\nContent-Length: 0\r\n\r\n{$smuggled}", '400 bad_header_name',
        ];
        yield 'space before the name of TE' => [
            "{$post} Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{$smuggled}", '400 folded_header',
        ];
        yield 'TE folded' => ["{$post}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n{$smuggled}", '400 folded_header'];
        yield 'vertical tab before chunked' => [
            "{$post}Transfer-Encoding: \x0Bchunked\r\n\r\n0\r\n\r\n{$smuggled}", '400 bad_header_value',
        ];
        yield 'NUL after chunked' => [
            "{$post}Transfer-Encoding: chunked\0\r\n\r\n0\r\n\r\n{$smuggled}", '400 bad_header_value',
        ];
        yield 'NEL after chunked' => [
            "{$post}Transfer-Encoding: chunked\x85\r\n\r\n0\r\n\r\n{$smuggled}", '501 unsupported_transfer_coding',
        ];
        yield 'chunked in single quotes' => [
            "{$post}Transfer-Encoding: 'chunked'\r\n\r\n0\r\n\r\n{$smuggled}", '501 unsupported_transfer_coding',
        ];
        yield 'the Kelvin sign in chunked' => [
            "{$post}Transfer-Encoding: chun\u{212A}ed\r\n\r\n0\r\n\r\n{$smuggled}", '501 unsupported_transfer_coding',
        ];
        yield 'TE behind a line feed' => [
            "{$post}X: y\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n{$smuggled}", '400 bad_line_ending',
        ];
        yield 'TE behind a carriage return' => [
            "{$post}X: y\rTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n{$smuggled}", '400 bad_line_ending',
        ];
        yield 'CL behind a line feed' => [
            "{$post}X: y\nContent-Length: {$length}\r\n\r\n{$smuggled}", '400 bad_line_ending',
        ];
        yield 'TE in HTTP/1.0' => [
            "POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{$smuggled}",
            '400 ambiguous_length',
        ];
        yield 'no length in HTTP/1.0' => [
            "POST / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n{$smuggled}", '411 length_required',
        ];
        yield 'a request in a chunk extension, after a line feed' => [
            "{$post}Transfer-Encoding: chunked\r\n\r\n0;\n{$smuggled}", '400 bad_chunk',
        ];
        yield 'a chunk that ends in any two bytes' => [
            "{$post}Transfer-Encoding: chunked\r\n\r\n2\r\nabXX0\r\n\r\n{$smuggled}", '400 bad_chunk',
        ];
        yield 'a chunk size that wraps' => [
            "{$post}Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n{$smuggled}", '400 bad_chunk',
        ];
        yield 'a chunk size cut at its first odd letter' => [
            "{$post}Transfer-Encoding: chunked\r\n\r\n0x5\r\n{$smuggled}", '400 bad_chunk',
        ];
        yield 'a chunk size with an underscore' => [
            "{$post}Transfer-Encoding: chunked\r\n\r\n0_1\r\n{$smuggled}", '400 bad_chunk',
        ];
        yield 'a space in the version' => ["{$post}X: y\r\n\rGET /SMUGGLED HTTP/1.1\r\n\r\n", '400 bad_line_ending'];
        yield 'an absolute form with a second host in its path' => [
            "GET http://a.example\\@evil/SMUGGLED HTTP/1.1\r\nHost: a.example\r\n\r\n", '400 bad_host',
        ];
        yield 'a second request line in the target' => [
            "GET / HTTP/1.1\x20/SMUGGLED HTTP/1.1\r\nHost: a.example\r\n\r\n", '400 bad_request_line',
        ];
    }
}
