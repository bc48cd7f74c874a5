<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

use Headroom\Http\MessageLimits;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Requests as they were recorded from real clients; only addresses were replaced.
 */
final class RealClientsTest extends TestCase
{
    /** @return iterable<string, array{string, list<string>}> bytes; method, path and body of each request */
    public static function recorded(): iterable
    {
        $host = "Host: 127.0.0.1:8080\r\n";
        $curl = "{$host}User-Agent: curl/7.88.1\r\nAccept: */*\r\n";
        $undici = "host: 127.0.0.1:8080\r\nconnection: keep-alive\r\n%saccept: */*\r\naccept-language:"
            ." *\r\nsec-fetch-mode: cors\r\nuser-agent: node\r\naccept-encoding: gzip, deflate\r\n";

        yield 'curl' => [
            "POST /curl HTTP/1.1\r\n{$curl}Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
            ['POST /curl {"a":1}'],
        ];
        yield 'curl that asks for HTTP/2' => [
            "GET /h2 HTTP/1.1\r\n{$curl}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings:"
                ." AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n",
            ['GET /h2 '],
        ];
        yield 'curl of HTTP/1.0' => ["GET /old HTTP/1.0\r\n{$curl}\r\n", ['GET /old ']];
        yield 'curl that sends a pipe' => [
            "POST /pipe HTTP/1.1\r\n{$curl}Transfer-Encoding: chunked\r\nContent-Type:"
                ." application/x-www-form-urlencoded\r\nExpect: 100-continue\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            ['POST /pipe abc'],
        ];
        yield "Node's fetch, twice on a connection" => [
            "POST /fetch HTTP/1.1\r\n".sprintf($undici, "content-type: text/plain;charset=UTF-8\r\n")
                ."content-length: 7\r\n\r\n{\"a\":1}POST /stream HTTP/1.1\r\n".sprintf($undici, '')
                ."transfer-encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n",
            ['POST /fetch {"a":1}', 'POST /stream abcd'],
        ];
        yield "Node's http with a trailer" => [
            "POST /node HTTP/1.1\r\nTrailer: x-t\r\n{$host}Connection: keep-alive\r\nTransfer-Encoding:"
                ." chunked\r\n\r\n3\r\nabc\r\n0\r\nx-t: 1\r\n\r\n",
            ['POST /node abc'],
        ];
        yield "PHP's streams" => [
            "POST /php HTTP/1.1\r\n{$host}Connection: close\r\nContent-Length: 2\r\nContent-Type:"
                ." application/x-www-form-urlencoded\r\n\r\n{}",
            ['POST /php {}'],
        ];
        yield "Python's urllib" => [
            "POST /py HTTP/1.1\r\nAccept-Encoding: identity\r\nContent-Type:"
                ." application/x-www-form-urlencoded\r\nContent-Length: 2\r\n{$host}User-Agent:"
                ." Python-urllib/3.11\r\nConnection: close\r\n\r\n{}",
            ['POST /py {}'],
        ];
        yield "Python's http.client, chunked and once more" => [
            "POST /py HTTP/1.1\r\n{$host}Accept-Encoding: identity\r\nTransfer-Encoding:"
                ." chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n0\r\n\r\nGET /again HTTP/1.1\r\n{$host}Accept-Encoding:"
                ." identity\r\n\r\n",
            ['POST /py abcd', 'GET /again '],
        ];
    }

    /** @param list<string> $expected */
    #[Test]
    #[DataProvider('recorded')]
    public function a_client_is_understood(string $bytes, array $expected): void
    {
        self::assertSame($expected, self::shown([$bytes]));

        foreach (Wire::cuts($bytes) as $how => $pieces) {
            self::assertSame($expected, self::shown($pieces), $how);
        }
    }

    /**
     * @param list<string> $pieces
     * @return list<string>
     */
    private static function shown(array $pieces): array
    {
        $shown = [];

        foreach (Wire::read($pieces, new MessageLimits) as $one) {
            $shown[] = is_array($one) ? "{$one[0]} {$one[1]} {$one[4]}" : $one;
        }

        return $shown;
    }
}
