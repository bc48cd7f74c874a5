<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Transport;

use Headroom\Load\Request;
use Headroom\Load\Transport\EncodedRequest;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class EncodedRequestTest extends TestCase
{
    private const ADDED = "User-Agent: headroom-load\r\nAccept: */*\r\n";

    private const FORM = "Content-Type: application/x-www-form-urlencoded\r\n";

    /** @return iterable<string, array{Request, string, 2?: string}> request, what is sent, cookies */
    public static function messages(): iterable
    {
        yield from self::hosts();
        yield from self::bodies();
        yield from self::given();
        yield from self::cookies();
    }

    /** @return iterable<string, array{Request, string}> */
    private static function hosts(): iterable
    {
        foreach ([
            'http://example.com' => ['/', 'example.com'],
            'http://example.com:80/' => ['/', 'example.com'],
            'https://example.com:443/' => ['/', 'example.com'],
            'http://example.com:443/' => ['/', 'example.com:443'],
            'https://example.com:80/' => ['/', 'example.com:80'],
            'http://Example.com:8080/x/../y?a=b%20c&d' => ['/x/../y?a=b%20c&d', 'Example.com:8080'],
            'http://example.com?x=1' => ['/?x=1', 'example.com'],
            'http://[::1]/' => ['/', '[::1]'],
            'http://[::1]:8080/' => ['/', '[::1]:8080'],
            'http://127.0.0.1:8000//x' => ['//x', '127.0.0.1:8000'],
        ] as $url => [$path, $host]) {
            yield $url => [new Request($url), "GET {$path} HTTP/1.1\r\nHost: {$host}\r\n".self::ADDED."\r\n"];
        }
    }

    /** @return iterable<string, array{Request, string}> */
    private static function bodies(): iterable
    {
        $head = "Host: a\r\n".self::ADDED;

        yield 'HEAD' => self::of('HEAD', null, $head, '');
        yield 'DELETE' => self::of('DELETE', null, $head, '');
        yield 'DELETE with a body' => self::of('DELETE', 'x', $head.self::FORM."Content-Length: 1\r\n", 'x');
        yield 'GET with a body' => self::of('GET', 'x', $head.self::FORM."Content-Length: 1\r\n", 'x');

        foreach (['POST', 'PUT', 'PATCH'] as $method) {
            yield "{$method} with a body" => self::of(
                $method,
                "a=\0\xc3\xa4\r\n",
                $head.self::FORM."Content-Length: 7\r\n",
                "a=\0\xc3\xa4\r\n",
            );
            yield "{$method} with an empty body" => self::of($method, '', $head.self::FORM."Content-Length: 0\r\n", '');
            yield "{$method} without a body" => self::of($method, null, "{$head}Content-Length: 0\r\n", '');
        }

        $chunked = 'transfer-ENCODING: Chunked';

        yield 'in chunks' => self::of(
            'POST',
            str_repeat('x', 26),
            "{$chunked}\r\n{$head}".self::FORM,
            "1a\r\n".str_repeat('x', 26)."\r\n0\r\n\r\n",
            [$chunked],
        );
        yield 'in chunks, empty' => self::of('POST', '', "{$chunked}\r\n{$head}".self::FORM, "0\r\n\r\n", [$chunked]);
        yield 'in chunks, none' => self::of('POST', null, "{$chunked}\r\n{$head}", "0\r\n\r\n", [$chunked]);
        yield 'in chunks behind another coding' => self::of(
            'POST',
            'x',
            "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n{$head}".self::FORM,
            "1\r\nx\r\n0\r\n\r\n",
            ['Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'],
        );
        yield 'in chunks, said in the first of two' => self::of(
            'POST',
            'x',
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: x-none\r\n{$head}".self::FORM,
            "1\r\nx\r\n0\r\n\r\n",
            ['Transfer-Encoding: chunked', 'Transfer-Encoding: x-none'],
        );
        yield 'a coding that only begins so' => self::of(
            'POST',
            'x',
            "Transfer-Encoding: chunked-not\r\n{$head}".self::FORM,
            'x',
            ['Transfer-Encoding: chunked-not'],
        );
        yield 'a length of its own' => self::of('POST', 'x', "Content-length: 3\r\n{$head}".self::FORM, 'x', [
            'Content-length: 3',
        ]);
        yield 'a type of its own' => self::of(
            'POST',
            '{}',
            "content-type: application/json\r\n{$head}Content-Length: 2\r\n",
            '{}',
            ['content-type: application/json'],
        );
    }

    /**
     * @param non-empty-string $method
     * @param list<string> $headers
     * @return array{Request, string}
     */
    private static function of(string $method, ?string $body, string $lines, string $sent, array $headers = []): array
    {
        return [new Request('http://a/', $method, $body, $headers), "{$method} / HTTP/1.1\r\n{$lines}\r\n{$sent}"];
    }

    /** @return iterable<string, array{Request, string}> */
    private static function given(): iterable
    {
        foreach ([
            'host: other' => "host: other\r\n".self::ADDED,
            'User-agent: me' => "User-agent: me\r\nHost: a\r\nAccept: */*\r\n",
            'ACCEPT: text/html' => "ACCEPT: text/html\r\nHost: a\r\nUser-Agent: headroom-load\r\n",
            'X-Host:x' => "X-Host:x\r\nHost: a\r\n".self::ADDED,
            'Referer: http://b/:x' => "Referer: http://b/:x\r\nHost: a\r\n".self::ADDED,
        ] as $header => $lines) {
            yield $header => [new Request('http://a/', headers: [$header]), "GET / HTTP/1.1\r\n{$lines}\r\n"];
        }

        yield 'the same twice' => [
            new Request('http://a/', headers: ['X: 1', 'X: 2']),
            "GET / HTTP/1.1\r\nX: 1\r\nX: 2\r\nHost: a\r\n".self::ADDED."\r\n",
        ];
    }

    /** @return iterable<string, array{Request, string, string}> */
    private static function cookies(): iterable
    {
        yield 'cookies' => [
            new Request('http://a/'),
            "GET / HTTP/1.1\r\nHost: a\r\n".self::ADDED."Cookie: a=b; c=d\r\n\r\n",
            'a=b; c=d',
        ];
        yield 'cookies beside its own' => [
            new Request('http://a/', headers: ['cookie: x=y']),
            "GET / HTTP/1.1\r\ncookie: x=y; a=b\r\nHost: a\r\n".self::ADDED."\r\n",
            'a=b',
        ];
        yield 'cookies beside two of its own' => [
            new Request('http://a/', headers: ['Cookie: x=y', 'Cookie: z=0']),
            "GET / HTTP/1.1\r\nCookie: x=y; a=b\r\nCookie: z=0\r\nHost: a\r\n".self::ADDED."\r\n",
            'a=b',
        ];
        yield 'its own alone' => [
            new Request('http://a/', headers: ['Cookie: x=y']),
            "GET / HTTP/1.1\r\nCookie: x=y\r\nHost: a\r\n".self::ADDED."\r\n",
            '',
        ];
        yield 'no cookies for what only ends so' => [
            new Request('http://a/', headers: ['X-Cookie: x']),
            "GET / HTTP/1.1\r\nX-Cookie: x\r\nHost: a\r\n".self::ADDED."Cookie: a=b\r\n\r\n",
            'a=b',
        ];
    }

    #[Test]
    #[DataProvider('messages')]
    public function it_is_sent_as_it_was_asked_for(Request $request, string $text, string $cookies = ''): void
    {
        $message = EncodedRequest::of($request, $cookies);

        self::assertSame($text, $message->text);
        self::assertSame($request->target, $message->target);
        self::assertSame($request->method, $message->method);
    }

    /** @return iterable<string, array{list<string>, bool}> */
    public static function connections(): iterable
    {
        yield 'nothing' => [[], false];
        yield 'close' => [['connection: Close'], true];
        yield 'close in a list' => [['Connection: x,close , y'], true];
        yield 'close in the first of two' => [['Connection: close', 'Connection: x'], true];
        yield 'close in the second of two' => [['Connection: x', 'Connection: close'], true];
        yield 'keep-alive' => [['Connection: keep-alive'], false];
        yield 'a word that only has it' => [['Connection: close-not, not-close'], false];
        yield 'another header' => [['X-Connection: close'], false];
    }

    /** @param list<string> $headers */
    #[Test]
    #[DataProvider('connections')]
    public function a_message_that_says_close_means_it(array $headers, bool $isLast): void
    {
        self::assertSame($isLast, EncodedRequest::of(new Request('http://a/', headers: $headers))->isLast);
    }
}
