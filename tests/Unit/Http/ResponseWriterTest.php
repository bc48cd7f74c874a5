<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

use Headroom\Http\InvalidResponse;
use Headroom\Http\ReasonPhrase;
use Headroom\Http\ResponseWriter;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class ResponseWriterTest extends TestCase
{
    #[Test]
    public function a_response_is_written_with_what_the_connection_needs(): void
    {
        self::assertSame(
            "HTTP/1.1 202 Accepted\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nConnection: keep-alive\r\nContent-Type:"
                ." application/json\r\nX-A: b\tc \xC3\xA9\r\nContent-Length: 2\r\n\r\n{}",
            self::written(202, '{}', ['Content-Type' => 'application/json', 'X-A' => "b\tc \xC3\xA9"]),
        );
        self::assertStringContainsString(
            "\r\nConnection: close\r\n",
            self::written(200, keepAlive: false),
        );
    }

    #[Test]
    public function the_date_follows_the_clock(): void
    {
        $clock = new ManualClock;
        $writer = new ResponseWriter($clock);
        $date = static fn (): string => substr(explode("\r\n", $writer->write(200, '', [], true, 'GET'))[1], 6);

        self::assertSame('Thu, 01 Jan 1970 00:00:00 GMT', $date());
        $clock->sleep(999_999);
        self::assertSame('Thu, 01 Jan 1970 00:00:00 GMT', $date());
        $clock->sleep(1);
        self::assertSame('Thu, 01 Jan 1970 00:00:01 GMT', $date());
        $clock->sleep(784_111_776_000_000);
        self::assertSame('Sun, 06 Nov 1994 08:49:37 GMT', $date());
    }

    #[Test]
    public function a_response_without_a_body_says_so(): void
    {
        self::assertStringEndsWith("\r\nContent-Length: 5\r\n\r\nhello", self::written(200, 'hello'));
        self::assertStringEndsWith("\r\nContent-Length: 5\r\n\r\n", self::written(200, 'hello', method: 'HEAD'));
        self::assertStringEndsWith("\r\nContent-Length: 0\r\n\r\n", self::written(200));
        self::assertStringEndsWith("\r\nContent-Length: 0\r\n\r\n", self::written(205, 'hello'));

        foreach ([204, 304] as $status) {
            self::assertStringEndsWith("\r\n\r\n", self::written($status, 'hello'));
            self::assertStringNotContainsString('Content-Length', self::written($status, 'hello'));
        }
    }

    #[Test]
    public function headers_that_a_handler_copied_from_another_connection_are_left_out(): void
    {
        $written = self::written(200, 'ab', [
            'content-LENGTH' => '9',
            'Transfer-Encoding' => 'chunked',
            'CONNECTION' => 'upgrade',
            'date' => 'x',
            'Keep-Alive' => 'timeout=5',
            'X' => 'y',
        ]);

        self::assertSame(
            "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nConnection: keep-alive\r\nX:"
                ." y\r\nContent-Length: 2\r\n\r\nab",
            $written,
        );
    }

    #[Test]
    #[TestWith(["a\r\nSet-Cookie: b"])]
    #[TestWith(["a\nb"])]
    #[TestWith(["a\rb"])]
    #[TestWith(["a\0b"])]
    #[TestWith(["a\x7F"])]
    public function a_value_that_would_begin_another_header_is_refused(string $value): void
    {
        $this->expectExceptionObject(InvalidResponse::headerValue('X-A'));

        self::written(200, '', ['X-A' => $value]);
    }

    #[Test]
    #[TestWith([''])]
    #[TestWith(['A B'])]
    #[TestWith(['A:'])]
    #[TestWith(["A\r\nB"])]
    #[TestWith(["A\n"])]
    #[TestWith(["\xC3\xA9"])]
    public function a_name_that_is_no_token_is_refused(string $name): void
    {
        $this->expectExceptionObject(InvalidResponse::headerName($name));

        self::written(200, '', [$name => 'b']);
    }

    /** @param array<string, string> $headers */
    #[Test]
    #[TestWith([['7' => 'a']])]
    public function a_name_that_php_made_an_integer_of_is_written(array $headers): void
    {
        self::assertStringContainsString("\r\n7: a\r\n", self::written(200, '', $headers));
    }

    #[Test]
    #[TestWith([100])]
    #[TestWith([199])]
    #[TestWith([600])]
    #[TestWith([-200])]
    #[TestWith([2000])]
    public function a_status_that_ends_no_exchange_is_refused(int $status): void
    {
        $this->expectExceptionObject(InvalidResponse::status($status));

        self::written($status);
    }

    #[Test]
    public function a_status_has_its_registered_phrase_or_that_of_its_class(): void
    {
        self::assertSame('Content Too Large', ReasonPhrase::of(413));
        self::assertSame('Unprocessable Content', ReasonPhrase::of(422));
        self::assertSame('Client Error', ReasonPhrase::of(499));
        self::assertStringStartsWith("HTTP/1.1 599 Server Error\r\n", self::written(599));
    }

    /** @param array<string, string> $headers */
    private static function written(
        int $status,
        string $body = '',
        array $headers = [],
        bool $keepAlive = true,
        string $method = 'GET',
    ): string {
        return (new ResponseWriter(new ManualClock))->write($status, $body, $headers, $keepAlive, $method);
    }
}
