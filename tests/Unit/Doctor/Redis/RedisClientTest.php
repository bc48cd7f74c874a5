<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Redis;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Redis\RedisClient;
use Headroom\Doctor\Redis\RedisInfo;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Unit\Doctor\Support\ScriptedServer;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RedisClientTest extends TestCase
{
    /** @return iterable<string, array{string, mixed}> */
    public static function answers(): iterable
    {
        yield 'status' => ["+OK\r\n", 'OK'];
        yield 'number' => [":-12\r\n", -12];
        yield 'text with line ends' => ["$6\r\na\r\nb\r\n\r\n", "a\r\nb\r\n"];
        yield 'no text' => ["$-1\r\n", null];
        yield 'empty text' => ["$0\r\n\r\n", ''];
        yield 'lists of lists' => ["*3\r\n:1\r\n*1\r\n$1\r\nx\r\n*-1\r\n", [1, ['x'], null]];
    }

    #[Test]
    #[DataProvider('answers')]
    public function it_reads_what_redis_says(string $bytes, mixed $read): void
    {
        self::assertSame($read, self::asked($bytes));
    }

    /** @return iterable<string, array{string, string}> */
    public static function rubbish(): iterable
    {
        yield 'nothing' => ['', 'has not answered INFO'];
        yield 'HTTP' => ["HTTP/1.1 400 Bad Request\r\n\r\n", 'does not speak the protocol of Redis: HTTP/1.1 400'];
        yield 'a line without an end' => ['+OK', 'does not speak the protocol'];
        yield 'a text that is cut' => ["$100\r\nabc", 'has not answered INFO'];
        yield 'a text that is too long' => ["$999999999999\r\n", 'a text of 999999999999 bytes'];
        yield 'a list that is too long' => ["*1000000000\r\n", 'a list of 1000000000'];
        yield 'lists without a bottom' => [str_repeat("*1\r\n", 1000), 'a list of 1'];
        yield 'an error with escape sequences' => ["-ERR \x1b[31mred\r\n", 'answers INFO with: ERR \e[31mred'];
        yield 'an empty line' => ["\r\n", 'does not speak the protocol'];
    }

    #[Test]
    #[DataProvider('rubbish')]
    public function an_answer_that_is_not_of_redis_is_named(string $bytes, string $message): void
    {
        $this->expectException(FactUnavailable::class);
        $this->expectExceptionMessage($message);

        self::asked($bytes);
    }

    #[Test]
    public function a_server_that_is_silent_is_not_waited_for(): void
    {
        $server = ScriptedServer::saying('', thenCloses: false);

        try {
            $this->expectException(FactUnavailable::class);
            // By a clock that stands still, only the silence can end it.
            RedisClient::to("tcp://127.0.0.1:{$server->port}", new ManualClock, 0.2)->ask('INFO');
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function all_its_questions_together_have_an_end(): void
    {
        $server = ScriptedServer::saying("+OK\r\n");
        $clock = new ManualClock;

        try {
            $wire = RedisClient::to("tcp://127.0.0.1:{$server->port}", $clock);
            $clock->sleep(5_000_001);
            $this->expectExceptionMessageMatches('~ within 5 seconds\b.*\bINFO\b~');
            $wire->ask('INFO');
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function answers_have_an_end_all_together(): void
    {
        $this->expectException(FactUnavailable::class);
        // 20 million bytes where 16 MiB are allowed.
        self::askedOf(ScriptedServer::repeating("*20\r\n", "$1000000\r\n", 1_000_000, 20));
    }

    #[Test]
    public function answers_below_that_end_are_read_whole(): void
    {
        $read = self::askedOf(ScriptedServer::repeating("*15\r\n", "$1000000\r\n", 1_000_000, 15));

        self::assertIsArray($read);
        $length = static fn (mixed $text): int => is_string($text) ? strlen($text) : 0;
        self::assertSame(array_fill(0, 15, 1_000_000), array_map($length, $read));
    }

    #[Test]
    public function a_line_that_never_ends_is_not_waited_for(): void
    {
        $server = ScriptedServer::dripping('+', 20_000);

        try {
            // Two seconds pass with each piece, and the silence between two may be long.
            RedisClient::to("tcp://127.0.0.1:{$server->port}", new SteppingClock(perLook: 2_000_000), 30.0)
                ->ask('INFO');
            self::fail('Nothing was said that can be understood.');
        } catch (FactUnavailable) {
            self::assertTrue($server->isLeft());
        } finally {
            $server->stop();
        }
    }

    /** Each list is short, and each of its bytes becomes fifty here. */
    #[Test]
    public function lists_have_an_end_all_together(): void
    {
        $this->expectExceptionMessage('does not speak the protocol of Redis: a list of 1');

        self::asked("*60000\r\n".str_repeat("*1\r\n:1\r\n", 60_000));
    }

    #[Test]
    public function a_line_has_an_end(): void
    {
        $this->expectExceptionMessage('does not speak the protocol of Redis: +xxx');

        self::asked('+'.str_repeat('x', 200_000)."\r\n");
    }

    #[Test]
    public function a_number_without_an_end_is_unknown(): void
    {
        $this->expectException(FactUnavailable::class);

        (new RedisServer(
            'tcp://127.0.0.1:6379',
            info: new RedisInfo(['used_memory' => '1e999']),
        ))->number('used_memory');
    }

    private static function asked(string $bytes): mixed
    {
        return self::askedOf(ScriptedServer::saying($bytes));
    }

    /** By a clock that stands still: how fast the machine is must not matter. */
    private static function askedOf(ScriptedServer $server): mixed
    {
        try {
            return RedisClient::to("tcp://127.0.0.1:{$server->port}", new ManualClock, 30.0)->ask('INFO');
        } finally {
            $server->stop();
        }
    }
}
