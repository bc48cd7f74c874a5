<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor;

use Closure;
use Headroom\Doctor\Facts\Redis\Info;
use Headroom\Doctor\Facts\Redis\RedisServer;
use Headroom\Doctor\Facts\Redis\UnableToAsk;
use Headroom\Doctor\Facts\Redis\Wire;
use Headroom\Doctor\UnknownFact;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Unit\Doctor\Support\ScriptedServer;
use Headroom\Tests\Unit\Host\ManualClock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RedisWireTest extends TestCase
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
    public function answers_of_redis_are_read(string $bytes, mixed $read): void
    {
        self::assertSame($read, self::asked($bytes));
    }

    /** @return iterable<string, array{string, Closure(string): UnableToAsk}> what it says, and the failure by its place */
    public static function rubbish(): iterable
    {
        $cut = static fn (string $place): UnableToAsk => UnableToAsk::cut($place, 'INFO', 2);
        $strange = static fn (string $answer): Closure => static fn (string $place): UnableToAsk => UnableToAsk::strange($place, $answer);

        yield 'nothing' => ['', $cut];
        yield 'HTTP' => ["HTTP/1.1 400 Bad Request\r\n\r\n", $strange('HTTP/1.1 400 Bad Request')];
        yield 'a line without an end' => ['+OK', $strange('+OK')];
        yield 'a text that is cut' => ["$100\r\nabc", $cut];
        yield 'an error with escape sequences' => ["-ERR \x1b[31mred\r\n", static fn (string $place): UnableToAsk => UnableToAsk::refused($place, 'INFO', "ERR \x1b[31mred")];
        yield 'an empty line' => ["\r\n", $strange('')];
    }

    /** @param Closure(string): UnableToAsk $expected */
    #[Test]
    #[DataProvider('rubbish')]
    public function an_answer_that_is_not_of_redis_is_named(string $bytes, Closure $expected): void
    {
        [$place, $message] = self::failed($bytes);

        self::assertSame($expected($place)->getMessage(), $message);
    }

    /** @return iterable<string, array{string, string}> */
    public static function large(): iterable
    {
        yield 'a text that is too long' => ["$999999999999\r\n", ' 999999999999'];
        yield 'a list that is too long' => ["*1000000000\r\n", ' 1000000000'];
        yield 'lists without a bottom' => [str_repeat("*1\r\n", 1000), ' 1'];
        // Each list is short, and each of its bytes becomes fifty here.
        yield 'lists that are too many' => ["*60000\r\n".str_repeat("*1\r\n:1\r\n", 60_000), ' 1'];
        yield 'a line without an end' => ['+'.str_repeat('x', 200_000)."\r\n", '+xxx'];
    }

    #[Test]
    #[DataProvider('large')]
    public function an_answer_without_an_end_is_refused_with_its_size(string $bytes, string $shown): void
    {
        [$place, $message] = self::failed($bytes);

        self::assertNotSame(UnableToAsk::cut($place, 'INFO', 2)->getMessage(), $message);
        self::assertStringContainsString($place, $message);
        self::assertStringContainsString($shown, $message);
    }

    #[Test]
    public function a_server_that_is_silent_is_not_waited_for(): void
    {
        $server = ScriptedServer::saying('', thenCloses: false);

        try {
            $this->expectException(UnableToAsk::class);
            // By a clock that stands still, only the silence can end it.
            Wire::to("tcp://127.0.0.1:{$server->port}", new ManualClock, 0.2)->ask('INFO');
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
            $wire = Wire::to("tcp://127.0.0.1:{$server->port}", $clock);
            $clock->sleep(5_000_001);
            $this->expectExceptionObject(UnableToAsk::tooSlow("tcp://127.0.0.1:{$server->port}", 'INFO', 5));
            $wire->ask('INFO');
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function answers_have_an_end_all_together(): void
    {
        $this->expectException(UnableToAsk::class);
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
    public function answers_below_that_end_are_read_whole(): void
    {
        $server = ScriptedServer::dripping('+', 20_000);

        try {
            // Two seconds pass with each piece, and the silence between two may be long.
            Wire::to("tcp://127.0.0.1:{$server->port}", new SteppingClock(perLook: 2_000_000), 30.0)->ask('INFO');
            self::fail('Nothing was said that can be understood.');
        } catch (UnableToAsk) {
            self::assertTrue($server->isLeft());
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function a_number_without_an_end_is_unknown(): void
    {
        $this->expectException(UnknownFact::class);

        (new RedisServer('tcp://127.0.0.1:6379', info: new Info(['used_memory' => '1e999'])))->number('used_memory');
    }

    /** @return array{string, string} its place, and the message of the failure */
    private static function failed(string $bytes): array
    {
        return self::askedOf(ScriptedServer::saying($bytes));
    }

    /** By a clock that stands still: how fast the machine is must not matter. */
    private static function askedOf(ScriptedServer $server): mixed
    {
        try {
            return Wire::to("tcp://127.0.0.1:{$server->port}", new ManualClock, 30.0)->ask('INFO');
        } finally {
            $server->stop();
        }
    }
}
