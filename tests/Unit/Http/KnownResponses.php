<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

/**
 * Bytes of servers, and their result: the status, the fate of the connection, and the body.
 */
final class KnownResponses
{
    public const OK = "HTTP/1.1 200 OK\r\n";

    public const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

    /** @return iterable<string, array{0: string, 1: string, 2?: non-empty-string}> bytes, outcome, method */
    public static function all(): iterable
    {
        yield from self::lengths();
        yield from self::chunks();
        yield from self::connections();
        yield from self::withoutBody();
        yield from self::interim();
        yield from self::lines();
        yield from self::nothingOfTheKind();
    }

    /** @return iterable<string, array{0: string, 1: string, 2?: non-empty-string}> */
    private static function lengths(): iterable
    {
        yield 'a length' => [self::OK."Content-Length: 5\r\n\r\nhello", '200 kept hello'];
        yield 'a length in other letters and spaces' => [
            self::OK."cONTENT-lENGTH:\t 5 \t\r\n\r\nhello", '200 kept hello',
        ];
        yield 'a space before the colon' => [self::OK."Content-Length : 5\r\n\r\nhello", '200 kept hello'];
        yield 'zeros in front' => [self::OK."Content-Length: 0005\r\n\r\nhello", '200 kept hello'];
        yield 'a length of nothing' => [self::OK."Content-Length: 0\r\n\r\n", '200 kept '];
        yield 'twice the same' => [self::OK."Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", '200 kept hello'];
        yield 'twice the same in one' => [self::OK."Content-Length: 5, 5\r\n\r\nhello", '200 kept hello'];
        yield 'two lengths' => [self::OK."Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", '200 not_http '];
        yield 'two lengths in one' => [self::OK."Content-Length: 5, 6\r\n\r\nhello!", '200 not_http '];
        yield 'two lengths over lines' => [
            self::OK."Content-Length: 5, 5\r\nContent-Length: 6\r\n\r\nhello!", '200 not_http ',
        ];

        foreach (['', '-5', '+5', '5.0', '0x5', '5 5', 'five', '5;', '9999999999999999999', "5\rX"] as $length) {
            yield 'a length of '.addcslashes("'{$length}'", "\r") => [
                self::OK."Content-Length: {$length}\r\n\r\nhello", '200 not_http ',
            ];
        }

        yield 'another name that ends so' => [
            self::OK."X-Content-Length: 3\r\nContent-Length: 5\r\n\r\nhello", '200 kept hello',
        ];
        yield 'too little' => [self::OK."Content-Length: 6\r\n\r\nhello", '200 truncated hello'];
        yield 'too much' => [self::OK."Content-Length: 5\r\n\r\nhello!", '200 closed hello'];
        yield 'another answer behind' => [
            self::OK."Content-Length: 5\r\n\r\nhello".self::OK."Content-Length: 3\r\n\r\nyou", '200 closed hello',
        ];
        yield 'no length' => [self::OK."\r\nhello", '200 ended hello'];
        yield 'no length and nothing' => [self::OK."\r\n", '200 ended '];
        yield 'an error like any other' => ["HTTP/1.1 500 No\r\nContent-Length: 5\r\n\r\nhello", '500 kept hello'];
        yield 'no content though there is' => [
            "HTTP/1.1 205 Reset\r\nContent-Length: 5\r\n\r\nhello", '205 kept hello',
        ];
        yield 'empty lines in the body' => [
            self::OK."Content-Length: 8\r\n\r\n\n\n\r\n\r\n\n\n", "200 kept \n\n\r\n\r\n\n\n",
        ];
    }

    /** @return iterable<string, array{0: string, 1: string, 2?: non-empty-string}> */
    private static function chunks(): iterable
    {
        yield 'chunks' => [self::CHUNKED."5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", '200 kept hello!'];
        yield 'no chunk' => [self::CHUNKED."0\r\n\r\n", '200 kept '];
        yield 'sizes in both cases' => [
            self::CHUNKED."a\r\n0123456789\r\nA\r\n0123456789\r\n00000000000000000000B\r\n0123456789A\r\n000\r\n\r\n",
            '200 kept 012345678901234567890123456789A',
        ];
        yield 'extensions' => [
            self::CHUNKED."5;a=b;c=\"d;e\"\r\nhello\r\n1 ; x\r\n!\r\n0;last\r\n\r\n", '200 kept hello!',
        ];
        yield 'trailers' => [
            self::CHUNKED."5\r\nhello\r\n0\r\nDigest: x\r\nContent-Length: 7\r\n\r\n", '200 kept hello',
        ];
        yield 'bare line feeds' => [self::CHUNKED."5\nhello\n0\nX: y\n\n", '200 kept hello'];
        yield 'line feeds in a chunk' => [self::CHUNKED."4\r\n\r\n\r\n\r\n0\r\n\r\n", "200 kept \r\n\r\n"];
        yield 'spaces behind a size' => [self::CHUNKED."5 \t\r\nhello\r\n0  \r\n\r\n", '200 kept hello'];
        yield 'something behind' => [self::CHUNKED."5\r\nhello\r\n0\r\n\r\nX", '200 closed hello'];
        yield 'no last chunk' => [self::CHUNKED."5\r\nhello\r\n", '200 truncated hello'];
        yield 'no end of the trailers' => [self::CHUNKED."5\r\nhello\r\n0\r\n", '200 truncated hello'];
        yield 'half a chunk' => [self::CHUNKED."5\r\nhel", '200 truncated hel'];
        yield 'a chunk longer than it says' => [self::CHUNKED."5\r\nhello!\r\n0\r\n\r\n", '200 not_http hello'];
        yield 'a chunk longer than it says, without an end' => [self::CHUNKED."5\r\nhello!", '200 not_http hello'];
        yield 'a chunk shorter than it says' => [self::CHUNKED."7\r\nhello\r\n0\r\n\r\n", "200 not_http hello\r\n"];

        foreach (['', '-1', '+5', ' 5', '0x5', 'g', '5g', '5 5', '{"a": 1}', '1234567890abcdef', ';a'] as $size) {
            yield "a size of '{$size}'" => [self::CHUNKED."{$size}\r\nhello\r\n0\r\n\r\n", '200 not_http '];
        }

        yield 'no chunks though they are told' => [self::CHUNKED.'<html></html>', '200 not_http '];
        yield 'a size that does not end' => [self::CHUNKED.str_repeat('0', 5_000), '200 not_http '];
        yield 'an extension that does not end' => [
            self::CHUNKED.'5;'.str_repeat('x', 5_000)."\r\nhello", '200 not_http ',
        ];
        yield 'chunks and a length' => [
            self::OK."Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            '200 closed hello',
        ];
        yield 'chunks and a length that is none' => [
            self::OK."Content-Length: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            '200 closed hello',
        ];
        yield 'chunks of an old server' => [
            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            '200 closed hello',
        ];
        yield 'chunks in other letters' => [
            self::OK."TRANSFER-encoding:CHUNKED\r\n\r\n5\r\nhello\r\n0\r\n\r\n", '200 kept hello',
        ];
        yield 'chunks behind another coding' => [
            self::OK."Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", '200 kept hello',
        ];
        yield 'chunks behind another coding in two lines' => [
            self::OK."Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            '200 kept hello',
        ];
        yield 'chunks and nothing in a list' => [
            self::OK."Transfer-Encoding: chunked, ,\r\n\r\n5\r\nhello\r\n0\r\n\r\n", '200 kept hello',
        ];
        yield 'chunks on the next line' => [
            self::OK."Transfer-Encoding:\r\n chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", '200 kept hello',
        ];
        yield 'another coding' => [
            self::OK."Transfer-Encoding: gzip\r\nContent-Length: 3\r\n\r\nhello", '200 ended hello',
        ];
        yield 'another coding behind' => [self::OK."Transfer-Encoding: chunked, gzip\r\n\r\nhello", '200 ended hello'];
        yield 'a coding that only begins so' => [
            self::OK."Transfer-Encoding: chunked-not\r\n\r\nhello", '200 ended hello',
        ];
        yield 'no coding' => [
            self::OK."Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello", '200 kept hello',
        ];
        yield 'no coding at all' => [self::OK."Transfer-Encoding:\r\nContent-Length: 5\r\n\r\nhello", '200 kept hello'];
    }

    /** @return iterable<string, array{0: string, 1: string, 2?: non-empty-string}> */
    private static function connections(): iterable
    {
        $of = static fn (string $version, string $lines): string
            => "HTTP/{$version} 200 OK\r\n{$lines}Content-Length: 2\r\n\r\nok";

        yield 'close' => [$of('1.1', "Connection: close\r\n"), '200 closed ok'];
        yield 'close in other letters' => [$of('1.1', "connection:CLOSE\r\n"), '200 closed ok'];
        yield 'close in a list' => [$of('1.1', "Connection: upgrade , Close,x\r\n"), '200 closed ok'];
        yield 'close in a second line' => [
            $of('1.1', "Connection: keep-alive\r\nConnection: close\r\n"), '200 closed ok',
        ];
        yield 'close on the next line' => [$of('1.1', "Connection:\r\n\tclose\r\n"), '200 closed ok'];
        yield 'another word that only has it' => [$of('1.1', "Connection: close-not, x-close\r\n"), '200 kept ok'];
        yield 'said of something else' => [$of('1.1', "X-Connection: close\r\nConnection-X: close\r\n"), '200 kept ok'];
        yield 'nothing said' => [$of('1.1', "Connection:\r\n"), '200 kept ok'];
        yield 'an old server' => [$of('1.0', ''), '200 closed ok'];
        yield 'an old server that says nothing' => [$of('1.0', "Connection: \r\n"), '200 closed ok'];
        yield 'an old server that keeps' => [
            $of('1.0', "Connection: Keep-Alive\r\nKeep-Alive: timeout=5\r\n"), '200 kept ok',
        ];
        yield 'an old server that keeps in a list' => [$of('1.0', "Connection: x,keep-alive\r\n"), '200 kept ok'];
        yield 'an old server that keeps and closes' => [
            $of('1.0', "Connection: keep-alive, close\r\n"), '200 closed ok',
        ];
        yield 'a later server' => [$of('1.2', ''), '200 kept ok'];
    }

    /** @return iterable<string, array{0: string, 1: string, 2?: non-empty-string}> */
    private static function withoutBody(): iterable
    {
        yield '204' => ["HTTP/1.1 204 No Content\r\n\r\n", '204 kept '];
        yield '204 with a length' => ["HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", '204 kept '];
        yield '204 with a body' => ["HTTP/1.1 204 No Content\r\n\r\nhello", '204 closed '];
        yield '204 that closes' => ["HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n", '204 closed '];
        yield '304' => ["HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", '304 kept '];
        yield '304 in chunks' => ["HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", '304 kept '];
        yield 'HEAD' => [self::OK."Content-Length: 5\r\n\r\n", '200 kept ', 'HEAD'];
        yield 'HEAD without a length' => [self::OK."\r\n", '200 kept ', 'HEAD'];
        yield 'HEAD of chunks' => [self::CHUNKED, '200 kept ', 'HEAD'];
        yield 'HEAD with a body' => [self::OK."Content-Length: 5\r\n\r\nhello", '200 closed ', 'HEAD'];
        yield 'HEAD with a length that is none' => [
            self::OK."Content-Length: 5\r\nContent-Length: x\r\n\r\n", '200 kept ', 'HEAD',
        ];
        yield '304 with a length that is none' => [
            "HTTP/1.1 304 Not Modified\r\nContent-Length: -1\r\n\r\n", '304 kept ',
        ];
        yield 'upgraded unasked' => [
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", '101 closed ',
        ];
    }

    /** @return iterable<string, array{0: string, 1: string, 2?: non-empty-string}> */
    private static function interim(): iterable
    {
        $go = "HTTP/1.1 100 Continue\r\n\r\n";
        $ok = self::OK."Content-Length: 2\r\n\r\nok";

        yield 'continue' => [$go.$ok, '200 kept ok'];
        yield 'several' => [
            "{$go}HTTP/1.1 103 Early Hints\r\nContent-Length: 100\r\nConnection: close\r\nLink: x\r\n\r\n"
                .str_replace("\r", '', $go).$ok,
            '200 kept ok',
        ];
        yield 'continue and no more' => [$go, '0 truncated '];
        yield 'continue and nonsense' => ["{$go}ok", '0 not_http '];
        yield 'continue and a body' => ["HTTP/1.1 100 Continue\r\nContent-Length: 2\r\n\r\nok{$ok}", '0 not_http '];

        $long = "HTTP/1.1 103 Early Hints\r\n".str_repeat('Link: '.str_repeat('x', 1_000)."\r\n", 110)."\r\n";

        yield 'a long one, and a long head' => [
            $long.self::OK.str_repeat('X: '.str_repeat('y', 1_000)."\r\n", 110)."Content-Length: 2\r\n\r\nok",
            '200 kept ok',
        ];
        yield 'a long one, and a line too long' => [
            $long.self::OK.'X: '.str_repeat('x', 102_400)."\r\n\r\n", '0 header_too_large ',
        ];
        yield 'continue to HEAD' => [$go.self::OK."\r\n", '200 kept ', 'HEAD'];
    }

    /** @return iterable<string, array{0: string, 1: string, 2?: non-empty-string}> */
    private static function lines(): iterable
    {
        yield 'bare line feeds in the head' => ["HTTP/1.1 200 OK\nContent-Length: 2\n\nok", '200 kept ok'];
        yield 'mixed ends of lines' => ["HTTP/1.1 200 OK\nContent-Length: 2\r\n\nok", '200 kept ok'];
        yield 'mixed the other way' => ["HTTP/1.1 200 OK\r\nContent-Length: 2\n\r\nok", '200 kept ok'];
        yield 'a bare one first, then a whole one in the body' => [
            "HTTP/1.1 200 OK\nContent-Length: 4\n\n\n\r\n!", "200 kept \n\r\n!",
        ];
        yield 'a line without a colon' => [self::OK."nonsense\r\n: x\r\nContent-Length: 2\r\n\r\nok", '200 kept ok'];
        yield 'an empty reason' => ["HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok", '200 kept ok'];
        yield 'no reason' => ["HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", '200 kept ok'];
        yield 'no reason and a bare line feed' => ["HTTP/1.1 200\nContent-Length: 2\n\nok", '200 kept ok'];
        yield 'an odd reason' => ["HTTP/1.1 200 \xff Content-Length: 7\r\nContent-Length: 2\r\n\r\nok", '200 kept ok'];
        yield 'an unknown status' => ["HTTP/1.1 999 ?\r\nContent-Length: 2\r\n\r\nok", '999 kept ok'];
        yield 'a value over lines' => [
            self::OK."X: a\r\n Content-Length: 9\r\nContent-Length: 2\r\n\r\nok", '200 kept ok',
        ];
    }

    /** @return iterable<string, array{0: string, 1: string, 2?: non-empty-string}> */
    private static function nothingOfTheKind(): iterable
    {
        foreach ([
            'HTTP/2 200', 'HTTP/1.1 20', 'HTTP/1.1 2000 OK', 'HTTP/1.1 099 OK', 'HTTP/1.1  200 OK', 'HTTP/1.1 200OK',
            'HTTP/1.1', 'HTTP/11 200 OK', 'HTTP/1.10 200 OK', 'HTTP/x.y 200 OK', 'http/1.1 200 OK', 'HTTPS/1.1 200 OK',
            ' HTTP/1.1 200 OK', "\r\nHTTP/1.1 200 OK", '220 smtp.example ready', "\x15\x03\x01\x00\x02\x02\x16",
            '<html>',
        ] as $line) {
            yield 'a status line of '
                .addcslashes("'{$line}'", "\0..\37") => ["{$line}\r\nContent-Length: 2\r\n\r\nok", '0 not_http '];
        }

        yield 'long nonsense' => [str_repeat('nonsense', 50_000)."\r\n\r\n", '0 not_http '];
        yield 'a line too long' => [
            self::OK.'X: '.str_repeat('x', 102_400)."\r\nContent-Length: 2\r\n\r\nok", '0 header_too_large ',
        ];
        yield 'a head too long' => [self::OK.str_repeat("X: yyyy\r\n", 34_200)."\r\n", '0 header_too_large '];
        yield 'interim answers without end' => [
            str_repeat("HTTP/1.1 102 Processing\r\nX: ".str_repeat('x', 1_000)."\r\n\r\n", 310), '0 header_too_large ',
        ];
        yield 'a trailer too long' => [self::CHUNKED."0\r\nX: ".str_repeat('x', 307_200), '200 header_too_large '];
        yield 'trailers without end' => [self::CHUNKED."0\r\n".str_repeat("X: y\r\n", 62_000), '200 header_too_large '];
        yield 'nothing' => ['', '0 missing '];
    }
}
