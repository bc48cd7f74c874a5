<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

use Headroom\Http\BodyBuffer;
use Headroom\Http\ChunkedDecoder;
use Headroom\Http\HttpError;
use Headroom\Http\MessageLimits;
use Headroom\Http\Strictness;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Randomizer;

/**
 * Properties of responses that hold for the collector's strict parser and the load generator's lenient one.
 * HEADROOM_FUZZ_CASES=100000 for more random bodies, HEADROOM_FUZZ_SEED=... for others.
 */
final class ResponsePropertyTest extends TestCase
{
    private const HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

    /** @return iterable<string, array{Strictness}> */
    public static function users(): iterable
    {
        yield 'strict' => [Strictness::Strict];
        yield 'lenient' => [Strictness::Lenient];
    }

    #[Test]
    #[DataProvider('users')]
    public function a_valid_chunked_body_is_read_however_its_bytes_are_cut(Strictness $strictness): void
    {
        foreach (self::seeds() as $seed) {
            $body = new RandomChunks($seed);
            $bytes = self::HEAD.$body->bytes;

            foreach (self::cuts($bytes, $body->random) as $pieces) {
                $read = new ReadResponse($pieces, 'GET', $strictness);
                self::assertSame("200 kept {$body->data}", $read->outcome, self::shown($seed, $bytes));
            }

            $read = new ReadResponse([$bytes, 'X'], 'GET', $strictness);
            self::assertSame('closed', $read->fate, self::shown($seed, $bytes));
        }
    }

    #[Test]
    #[DataProvider('users')]
    public function a_body_that_is_cut_off_is_never_complete(Strictness $strictness): void
    {
        foreach (self::seeds() as $seed) {
            $body = new RandomChunks($seed);
            $length = $body->random->getInt(0, strlen($body->bytes) - 1);
            $bytes = self::HEAD.substr($body->bytes, 0, $length);
            $read = new ReadResponse([$bytes], 'GET', $strictness);

            self::assertSame('truncated', $read->fate, self::shown($seed, $bytes));
            self::assertSame(substr($body->data, 0, strlen($read->body)), $read->body, self::shown($seed, $bytes));
        }
    }

    #[Test]
    #[DataProvider('users')]
    public function a_broken_body_has_one_result_however_its_bytes_are_cut(Strictness $strictness): void
    {
        $fates = [];

        foreach (self::seeds() as $seed) {
            $body = new RandomChunks($seed);
            $bytes = self::HEAD.$body->broken();
            $whole = new ReadResponse([$bytes], 'GET', $strictness);
            $fates[$whole->fate] = true;

            foreach (self::cuts($bytes, $body->random) as $pieces) {
                $read = new ReadResponse($pieces, 'GET', $strictness);
                self::assertSame($whole->outcome, $read->outcome, self::shown($seed, $bytes));
            }
        }

        self::assertArrayHasKey('not_http', $fates);
    }

    /** @return iterable<string, array{string, string, string}> bytes, the strict result, the lenient one */
    public static function sizes(): iterable
    {
        $zeros = str_repeat('0', 14);

        yield 'leading zeros' => ["{$zeros}05\r\nhello\r\n{$zeros}00\r\n\r\n", 'kept hello', 'kept hello'];
        yield 'more zeros than a size may have digits' => [
            "{$zeros}{$zeros}5\r\nhello\r\n0\r\n\r\n", 'not_http ', 'kept hello',
        ];
        yield 'a size below the largest integer' => ["7FFFFFFFFFFFFFF\r\n", 'body_too_large ', 'truncated '];
        yield 'a size of the largest integer' => ["7FFFFFFFFFFFFFFF\r\n", 'body_too_large ', 'not_http '];
        yield 'a size beyond an integer' => ["FFFFFFFFFFFFFFFF\r\n", 'body_too_large ', 'not_http '];
        yield 'a size that would be 5 in 64 bits' => ["10000000000000005\r\nhello\r\n0\r\n\r\n", 'not_http ', 'not_http '];
        yield 'a size that would be 0 in 64 bits' => ["10000000000000000\r\n\r\n", 'not_http ', 'not_http '];
        yield 'a size one too small' => ["4\r\nhello\r\n0\r\n\r\n", 'not_http hell', 'not_http hell'];
        yield 'a size one too large' => ["6\r\nhello\r\n0\r\n\r\n", "not_http hello\r", "kept hello\r"];
        yield 'no line end after a chunk' => ["5\r\nhello0\r\n\r\n", 'not_http hello', 'not_http hello'];
        yield 'a carriage return alone after a chunk' => ["5\r\nhello\rX", 'not_http hello', 'not_http hello'];
        yield 'a line feed alone after a chunk' => ["5\r\nhello\n0\r\n\r\n", 'not_http hello', 'kept hello'];
        yield 'a line feed alone after a size' => ["5\nhello\r\n0\r\n\r\n", 'not_http ', 'kept hello'];
        yield 'a line feed alone after the last size' => ["0\n\r\n", 'not_http ', 'kept '];
        yield 'a line feed alone after a trailer' => ["0\r\nA: b\n\r\n", 'not_http ', 'kept '];
        yield 'a line feed alone at the end' => ["0\r\n\n", 'not_http ', 'kept '];
        yield 'a carriage return within a size' => ["5\r5\r\n", 'not_http ', 'not_http '];
        yield 'a sign' => ["+5\r\nhello\r\n0\r\n\r\n", 'not_http ', 'not_http '];
        yield 'a prefix' => ["0x5\r\nhello\r\n0\r\n\r\n", 'not_http ', 'not_http '];
        yield 'an extension that is no token' => ["5;{\r\nhello\r\n0\r\n\r\n", 'not_http ', 'kept hello'];
        yield 'a trailer that is no field' => ["0\r\nnonsense\r\n\r\n", 'not_http ', 'kept '];
    }

    #[Test]
    #[DataProvider('sizes')]
    public function an_edge_of_the_chunk_grammar_has_one_result(string $bytes, string $strict, string $lenient): void
    {
        foreach ([[Strictness::Strict, $strict], [Strictness::Lenient, $lenient]] as [$strictness, $expected]) {
            self::assertSame("200 {$expected}", (new ReadResponse([self::HEAD.$bytes], 'GET', $strictness))->outcome);

            foreach (Wire::cuts(self::HEAD.$bytes) as $how => $pieces) {
                $read = new ReadResponse($pieces, 'GET', $strictness);
                self::assertSame("200 {$expected}", $read->outcome, "{$strictness->name}, {$how}");
            }
        }
    }

    #[Test]
    #[DataProvider('users')]
    public function the_decoder_stops_right_after_the_body(Strictness $strictness): void
    {
        foreach (self::seeds() as $seed) {
            $body = new RandomChunks($seed);
            $buffer = new BodyBuffer;
            $decoder = new ChunkedDecoder(new MessageLimits, $strictness, $buffer);
            $before = $body->random->getInt(0, 9);

            self::assertSame(
                $before + strlen($body->bytes),
                $decoder->decode(str_repeat("\n", $before).$body->bytes."HTTP/1.1 200 OK\r\n", $before),
                self::shown($seed, $body->bytes),
            );
            self::assertSame([$body->data, strlen($body->data)], [$buffer->body, $decoder->bytes()]);
        }
    }

    #[Test]
    #[DataProvider('users')]
    public function a_body_has_no_byte_more_than_its_limit(Strictness $strictness): void
    {
        foreach ([4, 5] as $limit) {
            $buffer = new BodyBuffer;
            $decoder = new ChunkedDecoder(new MessageLimits(bodyBytes: $limit), $strictness, $buffer);
            $end = $decoder->decode("3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", 0);

            self::assertSame($limit === 5 ? 20 : 413, $end instanceof HttpError ? $end->status : $end);
            self::assertSame($limit === 5 ? 'hello' : 'hel', $buffer->body);
        }
    }

    /** @return list<int> */
    private static function seeds(): array
    {
        $first = Fuzz::firstSeed();

        return range($first, $first + Fuzz::cases(Sample::number(100, 1_000)) - 1);
    }

    /** @return iterable<list<string>> */
    private static function cuts(string $bytes, Randomizer $random): iterable
    {
        yield str_split($bytes);
        yield str_split($bytes, $random->getInt(2, 40));

        for ($count = 0; $count < 20; $count++) {
            $at = $random->getInt(1, strlen($bytes) - 1);

            yield [substr($bytes, 0, $at), substr($bytes, $at)];
        }
    }

    private static function shown(int $seed, string $bytes): string
    {
        return "seed {$seed}: ".addcslashes($bytes, "\0..\37\177..\377");
    }
}
