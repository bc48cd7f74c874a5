<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

use Generator;
use Headroom\Http\ResponseFault;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class LenientResponseTest extends TestCase
{
    /** No machine takes so long, unless the work grows with the square of the bytes. */
    private const GENEROUS_SECONDS = 20.0;

    /** @param non-empty-string $method */
    #[Test]
    #[DataProviderExternal(KnownResponses::class, 'all')]
    public function an_answer_is_the_same_however_it_is_cut(
        string $bytes,
        string $outcome,
        string $method = 'GET',
    ): void {
        self::assertSame($outcome, (new ReadResponse($bytes === '' ? [] : [$bytes], $method))->outcome, 'whole');
        self::assertSame($outcome, (new ReadResponse(self::pieces($bytes, 1), $method))->outcome, 'byte by byte');

        foreach (self::cuts($bytes) as $at) {
            self::assertSame(
                $outcome,
                (new ReadResponse([substr($bytes, 0, $at), substr($bytes, $at)], $method))->outcome,
                "cut at {$at}",
            );
        }
    }

    /** @return iterable<string, array{string, int}> whole answers, and where their body begins */
    public static function wholeAnswers(): iterable
    {
        $interim = "HTTP/1.1 100 Continue\r\n\r\n";

        yield 'a length behind an interim answer' => [
            $interim.KnownResponses::OK."Content-Length: 5\r\n\r\nhello", strlen($interim) + 38,
        ];
        yield 'chunks' => [KnownResponses::CHUNKED."5;x\r\nhello\r\n0\r\nX: y\r\n\r\n", strlen(KnownResponses::CHUNKED)];
        yield 'no body' => ["HTTP/1.1 204 No\n\n", PHP_INT_MAX];
    }

    #[Test]
    #[DataProvider('wholeAnswers')]
    public function an_end_before_its_end_is_seen_at_every_byte(string $bytes, int $body): void
    {
        for ($length = 0; $length < strlen($bytes); $length++) {
            $answer = new ReadResponse($length === 0 ? [] : [substr($bytes, 0, $length)]);

            $fault = match (true) {
                $length === 0 => ResponseFault::Missing,
                $length < $body => ResponseFault::TruncatedHeader,
                default => ResponseFault::TruncatedBody,
            };

            self::assertNotNull($answer->failure);
            self::assertSame($fault, $answer->failure->fault, "cut after {$length} bytes");

            if ($fault === ResponseFault::TruncatedBody) {
                self::assertStringContainsString(' '.strlen($answer->body).' bytes', $answer->failure->getMessage());
            }
        }
    }

    #[Test]
    public function only_the_head_of_the_last_answer_is_kept(): void
    {
        $head = KnownResponses::OK."X: y\r\nContent-Length: 0\r\n\r\n";

        self::assertSame($head, (new ReadResponse(["HTTP/1.1 103 Early Hints\r\nX: z\r\n\r\n{$head}"]))->head);
    }

    #[Test]
    public function the_message_shows_the_bytes_that_came(): void
    {
        $message = static fn (string ...$pieces): string => (string) (new ReadResponse($pieces))->failure?->getMessage();

        self::assertStringEndsWith(": '220 \\esmtp'", $message("220 \esmtp"));
        self::assertStringContainsString("'{\"a\":1}'", $message(KnownResponses::CHUNKED.'{"a":1}'));
    }

    /** @return iterable<string, array{Generator<string>, string}> */
    public static function hostile(): iterable
    {
        yield 'a head in bytes up to the limit' => [
            self::repeated(KnownResponses::OK, str_split('X: '.str_repeat('y', 90_000)."\r\n"), 4), '0 header_too_large ',
        ];
        yield 'many lines in bytes' => [
            self::repeated(KnownResponses::OK, str_split("X\r\n"), 102_400), '0 header_too_large ',
        ];
        yield 'interim answers in one piece' => [
            self::repeated('', [str_repeat("HTTP/1.1 102 P\n\n", 18_000)], 1), '0 truncated ',
        ];
        yield 'spaces in the value of a field' => [
            self::repeated(
                '',
                [KnownResponses::OK.'Connection:'.str_repeat(' ', 100_000)."x\rx\r\nContent-Length: 0\r\n\r\n"],
                1,
            ),
            '200 kept ',
        ];
        yield 'spaces in a length' => [
            self::repeated('', [KnownResponses::OK.'Content-Length:'.str_repeat(' ', 100_000)."5\r5\r\n\r\nhello"], 1),
            '200 not_http ',
        ];
        yield 'commas' => [
            self::repeated(
                '',
                [
                    KnownResponses::OK.'Connection: '.str_repeat(', ', 50_000)."\r\nTransfer-Encoding: "
                        .str_repeat(' ,', 50_000)
                        ."\r\nContent-Length: 0\r\n\r\n",
                ],
                1,
            ),
            '200 kept ',
        ];
        yield 'long extensions of many chunks' => [
            self::repeated(KnownResponses::CHUNKED, ['1;'.str_repeat('x', 4_000)."\r\nx\r\n"], 20_000),
            '200 truncated ',
        ];
        yield 'tiny chunks' => [
            self::repeated(KnownResponses::CHUNKED, [str_repeat("1\r\nx\r\n", 1_000)], 1_000), '200 truncated ',
        ];
        yield 'tiny chunks in bytes' => [
            self::repeated(KnownResponses::CHUNKED, str_split("1\r\nx\r\n"), 100_000), '200 truncated ',
        ];
        yield 'a size in bytes' => [self::repeated(KnownResponses::CHUNKED, ['0'], 1_000_000), '200 not_http '];
    }

    /** @param Generator<string> $pieces */
    #[Test]
    #[DataProvider('hostile')]
    public function bytes_of_a_hostile_server_take_little_time_and_memory(Generator $pieces, string $outcome): void
    {
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $began = hrtime(true);
        $answer = new ReadResponse($pieces);
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
