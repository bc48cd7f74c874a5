<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Curl;

use Headroom\Load\Curl\FirstAnswer;
use Headroom\Load\Generator;
use Headroom\Load\LoadResult;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\SameRequest;
use Headroom\Tests\Unit\Doctor\Support\ScriptedServer;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class FirstAnswerTest extends TestCase
{
    /** @return iterable<string, array{list<array{int, string}>, ?string}> lines by who asked, and who answers */
    public static function heads(): iterable
    {
        $of = static fn (int $user, string ...$lines): array => array_map(static fn (string $line): array => [$user, "{$line}\r\n"], array_values($lines));

        yield 'one' => [$of(1, 'HTTP/1.1 200 OK', 'Server: nginx', ''), 'nginx'];
        yield 'hints of a proxy before it' => [$of(1, 'HTTP/1.1 103 Early Hints', 'Server: cdn', 'Link: </a.css>', '', 'HTTP/1.1 200 OK', 'Server: nginx', ''), 'nginx'];
        yield 'hints before an answer without a name' => [$of(1, 'HTTP/2 103', 'server: cdn', '', 'HTTP/2 200', 'host: a', ''), LoadResult::BUILT_IN_SERVER];
        yield 'to go on' => [$of(1, 'HTTP/1.1 100 Continue', '', 'HTTP/1.1 500 No', 'Server: nginx', ''), 'nginx'];
        yield 'two at once' => [[...$of(1, 'HTTP/1.1 103 Early Hints'), ...$of(2, 'HTTP/1.1 200 OK'), ...$of(1, 'Server: cdn', ''), ...$of(2, 'Server: nginx', '')], 'nginx'];
        yield 'the first counts' => [[...$of(1, 'HTTP/1.1 200 OK', 'X: y', ''), ...$of(2, 'HTTP/1.1 200 OK', 'Server: late')], null];
        yield 'a page whose number begins with 1 is none' => [$of(1, 'HTTP/1.0 200 1OK', 'Server: nginx', ''), 'nginx'];
    }

    /** @param list<array{int, string}> $lines */
    #[Test]
    #[DataProvider('heads')]
    public function the_answer_is_read_and_not_what_comes_before(array $lines, ?string $server): void
    {
        $answer = new FirstAnswer;

        foreach ($lines as [$user, $line]) {
            $answer->read($user, $line);
        }

        self::assertFalse($answer->isWanted());
        self::assertSame($server, $answer->server());
    }

    #[Test]
    public function early_hints_of_a_real_connection_do_not_name_the_server(): void
    {
        $server = ScriptedServer::saying("HTTP/1.1 103 Early Hints\r\nServer: cdn\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");

        try {
            $result = (new Generator)->run(Plan::samples(2, concurrency: 1, timeout: 5.0), new SameRequest(new Request("http://127.0.0.1:{$server->port}/")));
        } finally {
            $server->stop();
        }

        self::assertSame('nginx', $result->server);
    }
}
