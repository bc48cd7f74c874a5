<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load;

use Headroom\Load\Request;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RequestTest extends TestCase
{
    /** @return iterable<string, array{string, string, string, bool}> */
    public static function addresses(): iterable
    {
        yield 'no path' => ['http://127.0.0.1', '127.0.0.1', '/', true];
        yield 'port and path' => ['http://127.0.0.1:8000/a/b?c=d&e', '127.0.0.1', '/a/b?c=d&e', true];
        yield 'query without a path' => ['https://localhost?x=1', 'localhost', '/?x=1', true];
        yield 'IPv6' => ['http://[::1]:80/x', '::1', '/x', true];
        yield 'a name below localhost' => ['http://app.localhost/', 'app.localhost', '/', true];
        yield 'the whole loopback net' => ['http://127.9.8.7/', '127.9.8.7', '/', true];
        yield 'another host' => ['HTTPS://example.com/', 'example.com', '/', false];
        yield 'a name that only looks like loopback' => [
            'http://127.0.0.1.example.com/', '127.0.0.1.example.com', '/', false,
        ];
        yield 'localhost in front' => ['http://localhost.example.com/', 'localhost.example.com', '/', false];
        yield 'numbers that are no address' => ['http://127.999.999.999/', '127.999.999.999', '/', false];
        yield 'a name with more in it below localhost' => [
            'http://evil%2f.localhost/', 'evil%2f.localhost', '/', false,
        ];
        yield 'all interfaces' => ['http://0.0.0.0/', '0.0.0.0', '/', false];
    }

    #[Test]
    #[DataProvider('addresses')]
    public function an_address_is_taken_apart(string $url, string $host, string $path, bool $loopback): void
    {
        $target = (new Request($url))->target;

        self::assertSame(
            [$url, $host, $path, $loopback],
            [$target->url, $target->host, $target->path, $target->isLoopback()],
        );
    }

    /**
     * @return iterable<string, array{string, int, string, string}> port, Host header,
     *     and what is shared by those of one connection
     */
    public static function origins(): iterable
    {
        yield 'the port of http' => ['http://Shop.test/x', 80, 'Shop.test', 'http://shop.test'];
        yield 'the port of https' => ['HTTPS://shop.test:443', 443, 'shop.test', 'https://shop.test'];
        yield 'another' => ['https://shop.test:80/', 80, 'shop.test:80', 'https://shop.test:80'];
        yield 'IPv6' => ['http://[::1]:8080/', 8_080, '[::1]:8080', 'http://[::1]:8080'];
    }

    #[Test]
    #[DataProvider('origins')]
    public function an_address_says_where_to_connect(string $url, int $port, string $authority, string $origin): void
    {
        $target = (new Request($url))->target;

        self::assertSame([$port, $authority, $origin], [$target->port, $target->authority, $target->origin]);
    }

    #[Test]
    #[RequiresPhpExtension('intl')]
    public function an_international_name_is_sent_as_name_servers_know_it(): void
    {
        $target = (new Request('http://Bücher.test:8000/'))->target;

        self::assertSame(['xn--bcher-kva.test', 'xn--bcher-kva.test:8000'], [$target->host, $target->authority]);
    }

    #[Test]
    public function a_name_that_would_become_another_address_is_refused(): void
    {
        // This sign is written a/c without it.
        Refused::assert('url', 'xn--', static fn (): Request => new Request("http://shop.test\u{2100}.test/"));
    }

    /** @return iterable<string, array{string}> */
    public static function noAddresses(): iterable
    {
        foreach ([
            '', 'example.com', 'ftp://host/', 'file:///etc/passwd', 'http://', 'http:///x', 'http://user:word@host/',
            'http://127.0.0.1@example.com/', 'http://host/a b', "http://host/\n", 'http://host/#part', 'http://host:/',
            'http://host:0/', 'http://host:65536/', 'http://host:99999/', 'http://[::1/', "http://host\0/",
        ] as $url) {
            yield "'{$url}'" => [$url];
        }
    }

    #[Test]
    #[DataProvider('noAddresses')]
    public function a_text_that_is_not_an_address_is_refused(string $url): void
    {
        Refused::assert('url', "'{$url}'", static fn (): Request => new Request($url));
    }

    /** @return iterable<string, array{string}> */
    public static function noHeaders(): iterable
    {
        foreach (['X', 'X:', 'X:  ', ': y', 'X y: z', "X: y\r\nZ: a", "X: y\n", "X: \0"] as $header) {
            yield "'".addcslashes($header, "\0..\37")."'" => [$header];
        }
    }

    #[Test]
    #[DataProvider('noHeaders')]
    public function a_text_that_is_not_a_header_is_refused(string $header): void
    {
        Refused::assert(
            'header',
            "'{$header}'",
            static fn (): Request => new Request('http://127.0.0.1/', headers: ['A: b', $header]),
        );
    }

    #[Test]
    public function a_text_that_is_not_a_method_is_refused(): void
    {
        Refused::assert('method', "'GET /'", static fn (): Request => new Request('http://127.0.0.1/', 'GET /'));
    }

    #[Test]
    public function a_head_request_has_no_body(): void
    {
        Refused::assert('method', "'HEAD'", static fn (): Request => new Request('http://127.0.0.1/', 'HEAD', 'x'));
    }

    #[Test]
    public function another_body_changes_nothing_else(): void
    {
        $request = new Request('http://127.0.0.1/x', 'PUT', 'a', ['A: b']);

        self::assertEquals(new Request('http://127.0.0.1/x', 'PUT', 'c', ['A: b']), $request->withBody('c'));
    }

    #[Test]
    public function headers_are_found_in_upper_and_lower_case(): void
    {
        $request = new Request('http://127.0.0.1/', headers: ['content-TYPE: text/plain']);

        self::assertTrue($request->hasHeader('Content-Type'));
        self::assertFalse($request->hasHeader('Content'));
    }
}
