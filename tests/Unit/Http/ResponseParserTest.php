<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

use Headroom\Http\HttpError;
use Headroom\Http\ResponseFault;
use Headroom\Http\ResponseWriter;
use Headroom\Http\Strictness;
use Headroom\Http\UnableToReadResponse;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * HEADROOM_FUZZ_CASES=1000000 for more random streams, HEADROOM_FUZZ_SEED=... for others.
 */
final class ResponseParserTest extends TestCase
{
    /**
     * @return iterable<string, array{string, array{int, string, array<string, string>}, 2?: bool, 3?: string}> bytes, answer,
     *     whether the connection can be kept, method
     */
    public static function answers(): iterable
    {
        $ok = "HTTP/1.1 200 OK\r\n";

        yield 'a length' => [
            "{$ok}Content-Length: 5\r\nX-A: b\r\n\r\nhello", [200, 'hello', ['x-a' => 'b']],
        ];
        yield 'no body' => ["{$ok}Content-Length: 0\r\n\r\n", [200, '', []]];
        yield 'chunks, an extension, a trailer' => [
            "{$ok}Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nX: y\r\n\r\n",
            [200, 'hello!', []],
        ];
        yield 'HEAD' => ["{$ok}Content-Length: 5\r\n\r\n", [200, '', []], true, 'HEAD'];
        yield 'HEAD, chunked' => ["{$ok}Transfer-Encoding: chunked\r\n\r\n", [200, '', []], true, 'HEAD'];
        yield '204' => ["HTTP/1.1 204 No Content\r\n\r\n", [204, '', []]];
        yield '304 with a length' => [
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: a\r\n\r\n",
            [304, '', ['etag' => 'a']],
        ];
        yield 'no phrase' => ["HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", [200, '', []]];
        yield 'no phrase and no space' => ["HTTP/1.1 503\r\nContent-Length: 0\r\n\r\n", [503, '', []]];
        yield 'a phrase in UTF-8' => ["HTTP/1.1 404 Pas trouv\u{E9}\r\nContent-Length: 0\r\n\r\n", [404, '', []]];
        yield 'Connection: close' => [
            "{$ok}Connection: close\r\nContent-Length: 1\r\n\r\nx", [200, 'x', []], false,
        ];
        yield 'HTTP/1.0' => ["HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", [200, 'x', []], false];
        yield 'HTTP/1.0, kept' => [
            "HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\nx", [200, 'x', []], true,
        ];
        yield 'interim answers' => [
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink:"
                ." a\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
            [201, 'x', []],
        ];
        yield 'more than was asked for' => [
            "{$ok}Content-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\n", [200, 'x', []], false,
        ];
        yield 'more than was asked for, chunked' => [
            "{$ok}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nx", [200, '', []], false,
        ];
        yield 'a body for HEAD' => ["{$ok}Content-Length: 1\r\n\r\nx", [200, '', []], false, 'HEAD'];
        yield 'as large as it may be' => [
            "{$ok}Content-Length: 64\r\n\r\n".str_repeat('a', 64), [200, str_repeat('a', 64), []],
        ];
    }

    /** @param array{int, string, array<string, string>} $expected */
    #[Test]
    #[DataProvider('answers')]
    public function an_answer_is_read_however_its_bytes_are_cut(
        string $bytes,
        array $expected,
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

        yield 'no line at all' => [str_repeat('x', 102), UnableToReadResponse::statusLine(str_repeat('x', 102))];
        yield 'a status line that is too long' => [
            'HTTP/1.1 200 '.str_repeat('x', 102), UnableToReadResponse::headerTooLarge(100, 400),
        ];
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
            "{$ok}a: ".str_repeat('b', 400), UnableToReadResponse::headerTooLarge(100, 400),
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
    public function a_body_of_unknown_length_ends_with_the_connection(): void
    {
        $read = new ReadResponse(["HTTP/1.1 200 OK\r\n\r\nhel", 'lo'], 'GET', Strictness::Strict);

        self::assertSame('200 ended hello', $read->outcome);
    }

    #[Test]
    public function a_response_that_is_cut_off_is_refused(): void
    {
        $bytes = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab";

        for ($length = 0; $length <= strlen($bytes); $length++) {
            $read = new ReadResponse([substr($bytes, 0, $length)], 'GET', Strictness::Strict);

            self::assertSame(
                match (true) {
                    $length === 0 => ResponseFault::Missing,
                    $length < 38 => ResponseFault::TruncatedHeader,
                    default => ResponseFault::TruncatedBody,
                },
                $read->failure?->fault,
            );
        }
    }

    #[Test]
    public function a_connection_with_unrequested_bytes_is_not_kept(): void
    {
        $bytes = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

        self::assertSame('kept', (new ReadResponse([$bytes], 'GET', Strictness::Strict))->fate);
        self::assertSame(
            'closed',
            (new ReadResponse([$bytes, "HTTP/1.1 408 Request Timeout\r\n\r\n"], 'GET', Strictness::Strict))->fate,
        );
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
     * @return array{array{int, string, array<string, string>}, bool}|string|null status, body, headers and whether the
     *     connection can be kept; or the words of the failure; or null when the response is not complete
     */
    private static function read(array $pieces, string $method, bool $isClosed = false): array|string|null
    {
        $read = new ReadResponse($pieces, $method, Strictness::Strict, Wire::limits(), $isClosed);
        $headers = array_diff_key($read->headers, ResponseWriter::OWN_HEADERS);

        return match (true) {
            $read->failure !== null => $read->failure->getMessage(),
            $read->fate === 'incomplete' => null,
            default => [[$read->status, $read->body, $headers], $read->fate === 'kept' && ! $isClosed],
        };
    }

    /** @param array{array{int, string, array<string, string>}, bool}|string|null $got */
    private static function plain(array|string|null $got): mixed
    {
        return ! is_array($got) ? ($got === null ? null : 'no') : [
            'status' => $got[0][0],
            'headers' => array_map(base64_encode(...), $got[0][2]),
            'body' => base64_encode($got[0][1]),
            'keep' => $got[1],
        ];
    }
}
