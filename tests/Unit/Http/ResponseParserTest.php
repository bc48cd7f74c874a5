<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

use Headroom\Collector\Response;
use Headroom\Http\HttpError;
use Headroom\Http\ResponseParser;
use Headroom\Http\UnableToReadResponse;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Unit\Http\Fuzz;
use Headroom\Tests\Unit\Http\SecondReader;
use Headroom\Tests\Unit\Http\Wire;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * HEADROOM_FUZZ_CASES=1000000 for more random streams, HEADROOM_FUZZ_SEED=... for others.
 */
final class ResponseParserTest extends TestCase
{
    /**
     * @return iterable<string, array{string, Response, 2?: bool, 3?: string}> bytes, answer,
     *     whether the connection can be kept, method
     */
    public static function answers(): iterable
    {
        $ok = "HTTP/1.1 200 OK\r\n";

        yield 'a length' => [
            "{$ok}Content-Length: 5\r\nX-A: b\r\n\r\nhello", new Response(200, 'hello', ['x-a' => 'b']),
        ];
        yield 'no body' => ["{$ok}Content-Length: 0\r\n\r\n", new Response(200)];
        yield 'chunks, an extension, a trailer' => [
            "{$ok}Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nX: y\r\n\r\n",
            new Response(200, 'hello!'),
        ];
        yield 'HEAD' => ["{$ok}Content-Length: 5\r\n\r\n", new Response(200), true, 'HEAD'];
        yield 'HEAD, chunked' => ["{$ok}Transfer-Encoding: chunked\r\n\r\n", new Response(200), true, 'HEAD'];
        yield '204' => ["HTTP/1.1 204 No Content\r\n\r\n", new Response(204)];
        yield '304 with a length' => [
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: a\r\n\r\n",
            new Response(304, '', ['etag' => 'a']),
        ];
        yield 'no phrase' => ["HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", new Response(200)];
        yield 'no phrase and no space' => ["HTTP/1.1 503\r\nContent-Length: 0\r\n\r\n", new Response(503)];
        yield 'a phrase in UTF-8' => ["HTTP/1.1 404 Pas trouv\u{E9}\r\nContent-Length: 0\r\n\r\n", new Response(404)];
        yield 'Connection: close' => [
            "{$ok}Connection: close\r\nContent-Length: 1\r\n\r\nx", new Response(200, 'x'), false,
        ];
        yield 'HTTP/1.0' => ["HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", new Response(200, 'x'), false];
        yield 'HTTP/1.0, kept' => [
            "HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\nx", new Response(200, 'x'), true,
        ];
        yield 'interim answers' => [
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink:"
                ." a\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
            new Response(201, 'x'),
        ];
        yield 'more than was asked for' => [
            "{$ok}Content-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\n", new Response(200, 'x'), false,
        ];
        yield 'more than was asked for, chunked' => [
            "{$ok}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nx", new Response(200), false,
        ];
        yield 'a body for HEAD' => ["{$ok}Content-Length: 1\r\n\r\nx", new Response(200), false, 'HEAD'];
        yield 'as large as it may be' => [
            "{$ok}Content-Length: 64\r\n\r\n".str_repeat('a', 64), new Response(200, str_repeat('a', 64)),
        ];
    }

    #[Test]
    #[DataProvider('answers')]
    public function an_answer_is_read_however_its_bytes_are_cut(
        string $bytes,
        Response $expected,
        bool $isKept = true,
        string $method = 'POST',
    ): void {
        self::assertEquals([$expected, $isKept], self::read([$bytes], $method));

        foreach (Wire::cuts($bytes) as $how => $pieces) {
            self::assertEquals([$expected, $isKept], self::read($pieces, $method), $how);
        }
    }

    /** @return iterable<string, array{string, UnableToReadResponse}> */
    public static function noAnswers(): iterable
    {
        $ok = "HTTP/1.1 200 OK\r\n";
        $refused = UnableToReadResponse::refused(...);

        foreach ([
            "HTTP/2 200\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 600 No\r\n",
            "HTTP/1.1 099 No\r\n", "HTTP/1.1  200 OK\r\n", "HTTP/1.1 200OK\r\n", "HTTP/1.1 200 O\0K\r\n",
            "HTTP/1.1 200 OK\n", "ICY 200 OK\r\n", "\r\n", "<html>\n", " {$ok}",
        ] as $line) {
            yield 'the line '.json_encode($line) => [$line, UnableToReadResponse::statusLine(explode("\n", $line)[0])];
        }

        yield 'no line at all' => [str_repeat('x', 102), UnableToReadResponse::statusLineTooLong(100)];
        yield 'a length and a coding' => [
            "{$ok}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", $refused(HttpError::lengthTwice()),
        ];
        yield 'two lengths' => [
            "{$ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", $refused(HttpError::contentLength('1, 2')),
        ];
        yield 'a length of no digits' => ["{$ok}Content-Length: x\r\n\r\n", $refused(HttpError::contentLength('x'))];
        yield 'another coding' => [
            "{$ok}Transfer-Encoding: gzip, chunked\r\n\r\n", $refused(HttpError::coding('gzip, chunked')),
        ];
        yield 'a coding in HTTP/1.0' => [
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", $refused(HttpError::codingInOldVersion()),
        ];
        yield 'a bad chunk' => ["{$ok}Transfer-Encoding: chunked\r\n\r\nx\r\n", $refused(HttpError::chunk('x'))];
        yield 'a folded header' => ["{$ok}a: b\r\n c\r\n\r\n", $refused(HttpError::foldedHeader())];
        yield 'a line feed alone' => ["{$ok}a: b\n\n", $refused(HttpError::lineEnding())];
        yield 'too large by its length' => ["{$ok}Content-Length: 65\r\n\r\n", UnableToReadResponse::bodyTooLarge(64)];
        yield 'too large in chunks' => [
            "{$ok}Transfer-Encoding: chunked\r\n\r\n41\r\n", UnableToReadResponse::bodyTooLarge(64),
        ];
        yield 'too large until the end' => ["{$ok}\r\n".str_repeat('a', 65), UnableToReadResponse::bodyTooLarge(64)];
        yield 'headers that are too large' => [
            "{$ok}a: ".str_repeat('b', 400), $refused(HttpError::headersTooLarge(400)),
        ];
        yield 'too many headers' => [$ok.str_repeat("a: b\r\n", 9)."\r\n", $refused(HttpError::tooManyHeaders(8))];
        yield 'another protocol' => [
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", UnableToReadResponse::upgraded(),
        ];
        yield 'interim answers only' => [
            str_repeat("HTTP/1.1 100 Continue\r\n\r\n", 9), UnableToReadResponse::interimOnly(8),
        ];
    }

    #[Test]
    #[DataProvider('noAnswers')]
    public function bytes_that_are_no_answer_fail_however_they_are_cut(
        string $bytes,
        UnableToReadResponse $expected,
    ): void {
        $whole = self::read([$bytes], 'POST');
        self::assertSame($expected->getMessage(), $whole);

        foreach (Wire::cuts($bytes) as $how => $pieces) {
            self::assertIsString(self::read($pieces, 'POST'), $how);
        }
    }

    #[Test]
    public function a_body_of_no_length_ends_with_the_connection(): void
    {
        $parser = new ResponseParser(Wire::limits(), 'GET');
        $parser->feed("HTTP/1.1 200 OK\r\n\r\nhel");
        self::assertNull($parser->next());
        $parser->feed('lo');
        self::assertNull($parser->next());
        self::assertEquals(new Response(200, 'hello'), $parser->end());
        self::assertFalse($parser->keepsAlive());
        self::assertNull($parser->end());
    }

    #[Test]
    public function an_answer_that_is_cut_off_is_none(): void
    {
        $bytes = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab";

        for ($length = 0; $length <= strlen($bytes); $length++) {
            $parser = new ResponseParser(Wire::limits(), 'GET');
            $parser->feed(substr($bytes, 0, $length));
            self::assertNull($parser->next());

            try {
                $parser->end();
                self::fail("The end after {$length} bytes was taken for one.");
            } catch (UnableToReadResponse $e) {
                self::assertEquals(UnableToReadResponse::closedEarly($length), $e);
            }

            self::assertNull($parser->next());
        }
    }

    #[Test]
    public function a_connection_on_which_something_comes_unasked_is_not_kept(): void
    {
        $parser = new ResponseParser(Wire::limits(), 'GET');
        $parser->feed("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        self::assertNotNull($parser->next());
        self::assertTrue($parser->keepsAlive());
        $parser->feed("HTTP/1.1 408 Request Timeout\r\n\r\n");
        self::assertNull($parser->next());
        self::assertFalse($parser->keepsAlive());
    }

    #[Test]
    public function two_readers_see_the_same_in_random_answers_however_they_are_cut(): void
    {
        $answers = array_column(iterator_to_array(self::answers(), false), 0);
        $good = [...$answers, ...$answers, ...array_column(iterator_to_array(self::noAnswers(), false), 0)];
        $first = Fuzz::firstSeed();

        foreach (array_chunk(range($first, $first + Fuzz::cases(Sample::number(300, 3_000)) - 1), 10_000) as $seeds) {
            $cases = [];
            $seen = [];

            foreach ($seeds as $n => $seed) {
                $fuzz = new Fuzz($seed);
                $bytes = $fuzz->stream($good);
                $method = $seed % 5 === 0 ? 'HEAD' : 'POST';
                $cases[] = ['bytes' => $bytes, 'method' => $method, 'closed' => $seed % 3 === 0];
                $got = $seen[$n] = self::read([$bytes], $method, $seed % 3 === 0);
                $again = self::read($fuzz->pieces($bytes), $method, $seed % 3 === 0);
                // Which words a failure has may depend on what had come of it.
                self::assertEquals(
                    is_string($got) ? 'no' : $got,
                    is_string($again) ? 'no' : $again,
                    $fuzz->shown($bytes),
                );
            }

            foreach (SecondReader::read($cases, Wire::limits()) as $n => $second) {
                self::assertEquals(
                    $second,
                    self::plain($seen[$n]),
                    'The second reader, '.(new Fuzz($seeds[$n]))->shown($cases[$n]['bytes']),
                );
            }
        }
    }

    /**
     * @param list<string> $pieces
     * @return array{Response, bool}|string|null answer and whether the connection can be kept;
     *     or the words of the failure; or null
     */
    private static function read(array $pieces, string $method, bool $isClosed = false): array|string|null
    {
        $parser = new ResponseParser(Wire::limits(), $method);
        $response = null;

        try {
            foreach ($pieces as $piece) {
                $parser->feed($piece);
                $response ??= $parser->next();
            }

            $response = $isClosed ? $response ?? $parser->end() : $response;
        } catch (UnableToReadResponse $e) {
            self::assertNull($parser->next());

            return $e->getMessage();
        }

        return $response === null ? null : [$response, $parser->keepsAlive() && ! $isClosed];
    }

    /** @param array{Response, bool}|string|null $got */
    private static function plain(array|string|null $got): mixed
    {
        return ! is_array($got) ? ($got === null ? null : 'no') : [
            'status' => $got[0]->status,
            'headers' => array_map(base64_encode(...), $got[0]->headers),
            'body' => base64_encode($got[0]->body),
            'keep' => $got[1],
        ];
    }
}
