<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

use Headroom\Http\HttpError;
use Headroom\Http\MessageLimits;
use Headroom\Http\RequestMessage;
use Headroom\Http\RequestParser;
use Headroom\Http\RequestPhase;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * @phpstan-import-type Seen from Wire
 */
final class RequestParserTest extends TestCase
{
    /** @param list<Seen|string> $expected */
    #[Test]
    #[DataProviderExternal(Accepted::class, 'cases')]
    public function a_request_is_read_however_its_bytes_are_cut(string $bytes, array $expected): void
    {
        self::assertEquals($expected, Wire::read([$bytes]));

        foreach (Wire::cuts($bytes) as $how => $pieces) {
            self::assertEquals($expected, Wire::read($pieces), $how);
        }
    }

    #[Test]
    #[DataProviderExternal(Rejected::class, 'cases')]
    #[DataProviderExternal(Smuggling::class, 'cases')]
    public function bytes_that_are_no_request_are_refused_however_they_are_cut(string $bytes, string $expected): void
    {
        $request = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";
        $first = Wire::read([$request]);

        self::assertSame([$expected], Wire::read([$bytes]));
        self::assertEquals([...$first, $expected], Wire::read([$request.$bytes]));
        self::assertSame([$expected], Wire::read([$bytes, $request]));

        foreach (Wire::cuts($bytes) as $how => $pieces) {
            self::assertSame([$expected], Wire::read($pieces), $how);
        }
    }

    #[Test]
    public function a_tls_handshake_is_recognized(): void
    {
        $parser = new RequestParser(new MessageLimits);
        $parser->feed("\x16\x03\x01");
        $refused = $parser->next();

        self::assertInstanceOf(HttpError::class, $refused);
        self::assertSame([400, 'tls_on_plain_port'], [$refused->status, $refused->code]);
        self::assertStringContainsString('http://', $refused->detail);
    }

    #[Test]
    public function the_words_of_a_refusal_show_what_was_seen_and_not_all_of_it(): void
    {
        $parser = new RequestParser(new MessageLimits);
        $parser->feed("GET / HTTP/1.1\r\nHost: ".str_repeat("\xFF\e", 2_000)."\r\n\r\n");
        $refused = $parser->next();
        self::assertInstanceOf(HttpError::class, $refused);
        self::assertSame('bad_header_value', $refused->code);

        $parser = new RequestParser(new MessageLimits);
        $parser->feed("GET / HTTP/1.1\r\nHost: ".str_repeat("\xFF", 2_000)."\r\n\r\n");
        $refused = $parser->next();
        self::assertInstanceOf(HttpError::class, $refused);
        self::assertLessThan(250, strlen($refused->detail));
        self::assertTrue(mb_check_encoding($refused->detail, 'UTF-8'));
    }

    #[Test]
    #[TestWith(["GET /a b?access_token=SECRET HTTP/1.1\r\n"])]
    #[TestWith(["GET /?access_token=SECRET#a HTTP/1.1\r\n"])]
    #[TestWith(["GET http://a/?access_token=SECRET# HTTP/1.1\r\n"])]
    #[TestWith(["GET /?access_token=SECRET\r\n"])]
    #[TestWith(["GET / HTTP/1.1\r\nAuthorization : Bearer SECRET\r\n\r\n"])]
    #[TestWith(["GET / HTTP/1.1\r\nAuthorization Bearer SECRET\r\n\r\n"])]
    #[TestWith(["GET / HTTP/1.1\r\nAuthorization: Bearer SECRET\0\r\n\r\n"])]
    #[TestWith(["GET / HTTP/1.1\r\nAuthorization: Bearer\r\n SECRET\r\n\r\n"])]
    public function the_words_of_a_refusal_show_no_secret(string $bytes): void
    {
        $parser = new RequestParser(new MessageLimits);
        $parser->feed($bytes);
        $refused = $parser->next();

        self::assertInstanceOf(HttpError::class, $refused);
        self::assertStringNotContainsString('SECRET', $refused->detail);
    }

    #[Test]
    public function the_server_sees_what_its_timeouts_wait_for(): void
    {
        $parser = new RequestParser(new MessageLimits);
        $phases = [$parser->phase()];

        foreach (["\r", "\n", "POST / HTTP/1.1\r\n", "Host: a\r\nContent-Length: 3\r\n", "\r\n", 'ab'] as $piece) {
            $parser->feed($piece);
            self::assertNull($parser->next());
            $phases[] = $parser->phase();
        }

        $parser->feed('cGET ');
        $phases[] = $parser->phase();
        self::assertInstanceOf(RequestMessage::class, $parser->next());
        $phases[] = $parser->phase();
        self::assertSame(4, $parser->pending());
        $parser->feed("/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        self::assertTrue($parser->keepsAlive());
        self::assertInstanceOf(RequestMessage::class, $parser->next());
        self::assertFalse($parser->keepsAlive());
        $phases[] = $parser->phase();

        self::assertSame(
            [
                RequestPhase::Idle, RequestPhase::Head, RequestPhase::Idle, RequestPhase::Head, RequestPhase::Head, RequestPhase::Body, RequestPhase::Body, RequestPhase::Body,
                RequestPhase::Head, RequestPhase::Over,
            ],
            $phases,
        );
    }

    #[Test]
    public function pipelined_requests_that_were_not_read_are_counted(): void
    {
        $request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        $parser = new RequestParser(new MessageLimits);
        $parser->feed(str_repeat($request, 3));

        self::assertSame(3 * strlen($request), $parser->pending());
        $parser->next();
        self::assertSame(2 * strlen($request), $parser->pending());
        $parser->next();
        $parser->next();
        self::assertSame(0, $parser->pending());
        self::assertNull($parser->next());
        self::assertSame(RequestPhase::Idle, $parser->phase());
    }

    #[Test]
    public function an_interim_answer_is_wanted_once_and_only_before_the_body(): void
    {
        $head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n";
        $wants = static function (string ...$pieces): array {
            $parser = new RequestParser(new MessageLimits);
            $wants = [$parser->wantsContinue()];

            foreach ($pieces as $piece) {
                $parser->feed($piece);
                $parser->next();
                $wants[] = $parser->wantsContinue();
                self::assertFalse($parser->wantsContinue());
            }

            return $wants;
        };

        self::assertSame(
            [false, false, true, false, false, false],
            $wants($head, "Content-Length: 2\r\n\r\n", 'a', 'b', "{$head}Content-Length: 0\r\n\r\n"),
        );
        self::assertSame([false, true, false], $wants("{$head}Transfer-Encoding: chunked\r\n\r\n", "0\r\n\r\n"));
        self::assertSame([false, false], $wants("{$head}Content-Length: 2\r\n\r\na"));
        self::assertSame([false, false], $wants("{$head}Transfer-Encoding: chunked\r\n\r\n1"));
        self::assertSame(
            [false, true, false, true],
            $wants("{$head}Content-Length: 1\r\n\r\n", 'x', "{$head}Content-Length: 1\r\n\r\n"),
        );
        self::assertSame(
            [false, false],
            $wants("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"),
        );
        self::assertSame([false, false], $wants("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n"));
    }

    #[Test]
    public function many_small_chunks_take_no_more_memory_than_their_body(): void
    {
        $parser = new RequestParser(new MessageLimits);
        $parser->feed("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        $piece = str_repeat("1\r\nx\r\n", 10_000);
        memory_reset_peak_usage();
        $before = memory_get_peak_usage();

        for ($i = 0; $i < 100; $i++) {
            $parser->feed($piece);
            self::assertNull($parser->next());
        }

        self::assertSame(1_000_000, $parser->pending());
        // The body, its copy when the string grows, and what was fed.
        self::assertLessThan(2_500_000, memory_get_peak_usage() - $before);
        $parser->feed("0\r\n\r\n");
        $request = $parser->next();
        self::assertInstanceOf(RequestMessage::class, $request);
        self::assertSame(str_repeat('x', 1_000_000), $request->body);
    }

    #[Test]
    #[TestWith(["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na", RequestPhase::Body])]
    #[TestWith(["POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na", RequestPhase::Body])]
    #[TestWith(["POST / HTTP/1.1\r\nHo", RequestPhase::Head])]
    #[TestWith(['PO', RequestPhase::Head])]
    #[TestWith(["\r\n\r", RequestPhase::Head])]
    #[TestWith(['', RequestPhase::Idle])]
    public function bytes_of_pipelined_requests_are_not_kept_while_another_request_comes(
        string $begin,
        RequestPhase $phase,
    ): void {
        $parser = new RequestParser(new MessageLimits);
        $before = memory_get_usage();
        $parser->feed(str_repeat("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 40_000).$begin);

        for ($n = 0; $n < 40_000; $n++) {
            self::assertNotNull($parser->next());
        }

        self::assertGreaterThan(1_000_000, memory_get_usage() - $before);
        self::assertNull($parser->next());
        self::assertSame($phase, $parser->phase());
        // Where the test is the first one, a class or two are loaded meanwhile.
        self::assertLessThan(300_000, memory_get_usage() - $before);
    }

    #[Test]
    public function after_the_last_request_nothing_is_kept(): void
    {
        $parser = new RequestParser(new MessageLimits);
        $parser->feed("GET / HTTP/1.0\r\n\r\n".str_repeat('x', 100_000));
        self::assertInstanceOf(RequestMessage::class, $parser->next());
        self::assertSame(0, $parser->pending());
        $parser->feed(str_repeat("GET / HTTP/1.0\r\n\r\n", 1_000));
        self::assertNull($parser->next());
        self::assertSame(0, $parser->pending());
    }
}
