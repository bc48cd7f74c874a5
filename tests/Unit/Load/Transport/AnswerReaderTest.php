<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Transport;

use Generator;
use Headroom\Load\Transport\UnableToExchange;
use Headroom\Tests\Unit\Load\Transport\KnownAnswers;
use Headroom\Tests\Unit\Load\Transport\ReadAnswer;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class AnswerReaderTest extends TestCase
{
    /** No machine takes so long, unless the work grows with the square of the bytes. */
    private const GENEROUS_SECONDS = 20.0;

    /** @param non-empty-string $method */
    #[Test]
    #[DataProviderExternal(KnownAnswers::class, 'all')]
    public function an_answer_is_the_same_however_it_is_cut(
        string $bytes,
        string $outcome,
        string $method = 'GET',
    ): void {
        self::assertSame($outcome, (new ReadAnswer($bytes === '' ? [] : [$bytes], $method))->outcome, 'whole');
        self::assertSame($outcome, (new ReadAnswer(self::pieces($bytes, 1), $method))->outcome, 'byte by byte');

        foreach (self::cuts($bytes) as $at) {
            self::assertSame(
                $outcome,
                (new ReadAnswer([substr($bytes, 0, $at), substr($bytes, $at)], $method))->outcome,
                "cut at {$at}",
            );
        }
    }

    /** @param non-empty-string $method */
    #[Test]
    #[DataProviderExternal(KnownAnswers::class, 'all')]
    public function an_answer_is_whole_on_a_connection_that_the_client_does_not_keep(
        string $bytes,
        string $outcome,
        string $method = 'GET',
    ): void {
        self::assertSame(
            str_replace(' kept ', ' closed ', $outcome),
            (new ReadAnswer($bytes === '' ? [] : [$bytes], $method, isLast: true))->outcome,
        );
    }

    /** @return iterable<string, array{string, int}> whole answers, and where their body begins */
    public static function wholeAnswers(): iterable
    {
        $interim = "HTTP/1.1 100 Continue\r\n\r\n";

        yield 'a length behind an interim answer' => [
            $interim.KnownAnswers::OK."Content-Length: 5\r\n\r\nhello", strlen($interim) + 38,
        ];
        yield 'chunks' => [KnownAnswers::CHUNKED."5;x\r\nhello\r\n0\r\nX: y\r\n\r\n", strlen(KnownAnswers::CHUNKED)];
        yield 'no body' => ["HTTP/1.1 204 No\n\n", PHP_INT_MAX];
    }

    #[Test]
    #[DataProvider('wholeAnswers')]
    public function an_end_before_its_end_is_seen_at_every_byte(string $bytes, int $body): void
    {
        for ($length = 0; $length < strlen($bytes); $length++) {
            $answer = new ReadAnswer($length === 0 ? [] : [substr($bytes, 0, $length)]);
            [, $fate] = explode(' ', $answer->outcome);

            $failure = match (true) {
                $length === 0 => UnableToExchange::closedUnanswered(),
                $length < $body => UnableToExchange::cutInHead(),
                default => UnableToExchange::cutShort(strlen($answer->body)),
            };

            self::assertSame($failure->failure->value, $fate, "cut after {$length} bytes");
            self::assertSame($failure->getMessage(), $answer->failure?->getMessage(), "cut after {$length} bytes");
            self::assertSame(strlen($answer->body), $answer->exchange->bytes);
        }
    }

    #[Test]
    public function only_the_head_of_the_last_answer_is_kept(): void
    {
        $head = KnownAnswers::OK."X: y\r\nContent-Length: 0\r\n\r\n";

        self::assertSame($head, (new ReadAnswer(["HTTP/1.1 103 Early Hints\r\nX: z\r\n\r\n{$head}"]))->exchange->head);
    }

    #[Test]
    public function the_message_shows_the_bytes_that_came(): void
    {
        $message = static fn (string ...$pieces): string => (string) (new ReadAnswer($pieces))->failure?->getMessage();

        self::assertStringEndsWith(": '220 \\esmtp'", $message("220 \esmtp"));
        self::assertStringEndsWith(": '{\"a\":1}'", $message(KnownAnswers::CHUNKED.'{"a":1}'));
    }

    /** @return iterable<string, array{Generator<string>, string}> */
    public static function hostile(): iterable
    {
        yield 'a head in bytes up to the limit' => [
            self::repeated(KnownAnswers::OK, str_split('X: '.str_repeat('y', 90_000)."\r\n"), 4), '0 header_too_long ',
        ];
        yield 'many lines in bytes' => [
            self::repeated(KnownAnswers::OK, str_split("X\r\n"), 102_400), '0 header_too_long ',
        ];
        yield 'interim answers in one piece' => [
            self::repeated('', [str_repeat("HTTP/1.1 102 P\n\n", 18_000)], 1), '0 answer_cut_short ',
        ];
        yield 'spaces in the value of a field' => [
            self::repeated(
                '',
                [KnownAnswers::OK.'Connection:'.str_repeat(' ', 100_000)."x\rx\r\nContent-Length: 0\r\n\r\n"],
                1,
            ),
            '200 kept ',
        ];
        yield 'spaces in a length' => [
            self::repeated('', [KnownAnswers::OK.'Content-Length:'.str_repeat(' ', 100_000)."5\r5\r\n\r\nhello"], 1),
            '200 not_http ',
        ];
        yield 'commas' => [
            self::repeated(
                '',
                [
                    KnownAnswers::OK.'Connection: '.str_repeat(', ', 50_000)."\r\nTransfer-Encoding: "
                        .str_repeat(' ,', 50_000)
                        ."\r\nContent-Length: 0\r\n\r\n",
                ],
                1,
            ),
            '200 kept ',
        ];
        yield 'long extensions of many chunks' => [
            self::repeated(KnownAnswers::CHUNKED, ['1;'.str_repeat('x', 4_000)."\r\nx\r\n"], 20_000),
            '200 answer_cut_short ',
        ];
        yield 'tiny chunks' => [
            self::repeated(KnownAnswers::CHUNKED, [str_repeat("1\r\nx\r\n", 1_000)], 1_000), '200 answer_cut_short ',
        ];
        yield 'tiny chunks in bytes' => [
            self::repeated(KnownAnswers::CHUNKED, str_split("1\r\nx\r\n"), 100_000), '200 answer_cut_short ',
        ];
        yield 'a size in bytes' => [self::repeated(KnownAnswers::CHUNKED, ['0'], 1_000_000), '200 not_http '];
    }

    /** @param Generator<string> $pieces */
    #[Test]
    #[DataProvider('hostile')]
    public function bytes_of_a_hostile_server_take_little_time_and_memory(Generator $pieces, string $outcome): void
    {
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $began = hrtime(true);
        $answer = new ReadAnswer($pieces);
        $seconds = (hrtime(true) - $began) / 1e9;

        self::assertSame($outcome, rtrim($answer->outcome, 'x'));
        self::assertLessThan(self::GENEROUS_SECONDS, $seconds);
        self::assertLessThan(16_777_216, memory_get_peak_usage() - $before);
    }

    /**
     * @param list<string> $pieces
     * @return Generator<string>
     */
    private static function repeated(string $first, array $pieces, int $times): Generator
    {
        if ($first !== '') {
            yield $first;
        }

        for ($i = 0; $i < $times; $i++) {
            yield from $pieces;
        }
    }

    /** @return list<string> */
    private static function pieces(string $bytes, int $length): array
    {
        return $bytes === '' ? [] : str_split($bytes, max(1, $length));
    }

    /** @return list<int> all of them, of what is long only those at its ends */
    private static function cuts(string $bytes): array
    {
        $last = strlen($bytes) - 1;

        return match (true) {
            $last < 1 => [],
            $last < 1_000 => range(1, $last),
            default => [...range(1, 50), ...range($last - 50, $last)],
        };
    }
}
