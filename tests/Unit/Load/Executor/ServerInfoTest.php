<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Executor;

use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Executor\ServerInfo;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\SameRequest;
use Headroom\Tests\Unit\Doctor\Support\ScriptedServer;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ServerInfoTest extends TestCase
{
    /** @return iterable<string, array{list<string>, ?string}> heads, and the server */
    public static function heads(): iterable
    {
        yield 'one' => [["HTTP/1.1 200 OK\r\nServer: nginx\r\n\r\n"], 'nginx'];
        yield 'in other letters, without a carriage return' => [["HTTP/1.1 200 OK\nserver:  nginx \n\n"], 'nginx'];
        yield 'a server that repeats the Host' => [["HTTP/1.1 200 OK\r\nHost: a\r\n\r\n"], LoadResult::BUILT_IN_SERVER];
        yield 'the first counts' => [
            ["HTTP/1.1 200 OK\r\nX: y\r\n\r\n", "HTTP/1.1 200 OK\r\nServer: late\r\n\r\n"], null,
        ];
        yield 'many spaces, and a carriage return that ends no line' => [
            ["HTTP/1.1 200 OK\r\nServer: ".str_repeat(' ', 100_000)."nginx\rx\r\n\r\n"], 'nginx',
        ];
        yield 'no response is not the first' => [['', "HTTP/1.1 500 No\r\nServer: nginx\r\n\r\n"], 'nginx'];
    }

    /** @param list<string> $heads */
    #[Test]
    #[DataProvider('heads')]
    public function the_first_response_is_read(array $heads, ?string $server): void
    {
        $info = new ServerInfo;
        array_map($info->observe(...), $heads);

        self::assertSame($server, $info->server());
    }

    #[Test]
    public function early_hints_of_a_real_connection_do_not_name_the_server(): void
    {
        $server = ScriptedServer::saying(
            "HTTP/1.1 103 Early Hints\r\nServer: cdn\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nServer:"
                ." nginx\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
        );

        try {
            $result = (new LoadGenerator)->run(
                Plan::requests(2, concurrency: 1, timeout: 5.0),
                new SameRequest(new Request("http://127.0.0.1:{$server->port}/")),
            );
        } finally {
            $server->stop();
        }

        self::assertSame('nginx', $result->server);
    }
}
