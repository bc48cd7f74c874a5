<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host\Fpm;

use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiExchange;
use Headroom\Host\Fpm\FastCgiFailure;
use Headroom\Host\Fpm\FastCgiRecords;
use Headroom\Host\Fpm\FastCgiResponse;
use Headroom\Host\Fpm\UnableToQueryPool;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class FastCgiExchangeTest extends TestCase
{
    #[Test]
    public function an_answer_is_the_same_in_pieces_of_any_size(): void
    {
        $bytes = self::answer();

        for ($size = 1, $length = strlen($bytes); $size <= $length; $size++) {
            $exchange = self::exchange();

            foreach (str_split($bytes, $size) as $piece) {
                self::assertFalse($exchange->isOver());
                $exchange->receive($piece);
            }

            self::assertTrue($exchange->isOver());
            $answer = $exchange->answer();
            self::assertSame(
                [404, 'text/plain', 'one two', 'a warning'],
                [$answer->status, $answer->headers['content-type'], $answer->body, $answer->errors],
            );
        }
    }

    #[Test]
    public function an_answer_cut_at_any_byte_is_not_over(): void
    {
        $bytes = self::answer();

        for ($cut = 0, $length = strlen($bytes); $cut < $length; $cut++) {
            $exchange = self::exchange();
            $exchange->receive(substr($bytes, 0, $cut));
            self::assertFalse($exchange->isOver());

            try {
                $exchange->closed();
            } catch (UnableToQueryPool $e) {
                self::assertSame(FastCgiFailure::BrokeOff, $e->failure);
                self::assertSame(
                    UnableToQueryPool::brokeOff(Address::parse('/run/php.sock'), $cut)->getMessage(),
                    $e->getMessage(),
                );
            }
        }
    }

    /** @return iterable<string, array{string, FastCgiFailure, int}> the last is a number that the message tells */
    public static function nonsense(): iterable
    {
        yield 'HTTP' => ["HTTP/1.1 400 Bad Request\r\n\r\n", FastCgiFailure::NotFastCgi, 72];
        yield 'version 2' => [Frames::record(Frames::OUT, 'x', version: 2), FastCgiFailure::NotFastCgi, 2];
        yield 'another request' => [Frames::record(Frames::OUT, 'x', id: 2), FastCgiFailure::NotFastCgi, 2];
        yield 'a request id of two bytes' => [
            Frames::record(Frames::OUT, 'x', id: 257), FastCgiFailure::NotFastCgi, 257,
        ];
        yield 'a request' => [FastCgiRecords::request(['A' => 'B'], ''), FastCgiFailure::NotFastCgi, 1];
        yield 'a short end' => [Frames::record(3, "\0\0\0\0"), FastCgiFailure::NotFastCgi, 4];
        yield 'no multiplexing' => [Frames::end(1), FastCgiFailure::Declined, 1];
        yield 'overloaded' => [Frames::end(2), FastCgiFailure::Declined, 2];
        yield 'an unheard of status' => [Frames::end(9), FastCgiFailure::Declined, 9];
        yield 'too much' => [Frames::record(Frames::OUT, str_repeat('x', 1_000)), FastCgiFailure::TooLong, 1_000];
    }

    #[Test]
    #[DataProvider('nonsense')]
    public function nonsense_is_named(string $bytes, FastCgiFailure $failure, int $number): void
    {
        try {
            self::exchange()->receive($bytes);
            self::fail('That is no answer.');
        } catch (UnableToQueryPool $e) {
            self::assertSame($failure, $e->failure);
            self::assertMatchesRegularExpression("/ {$number}\\b/", $e->getMessage());
            self::assertNotSame('', $e->command);
        }
    }

    #[Test]
    public function bytes_behind_the_end_are_not_read(): void
    {
        $exchange = self::exchange();
        $exchange->receive(Frames::record(Frames::OUT, "A: b\n\nbody").Frames::end().'GARBAGE GARBAGE');

        self::assertSame('body', $exchange->answer()->body);
    }

    #[Test]
    public function a_request_arrives_with_every_length_of_name_and_value_and_a_long_body(): void
    {
        $params = [
            'A' => '',
            'B' => str_repeat('b', 127),
            'C' => str_repeat('c', 128),
            str_repeat('N', 200) => str_repeat('v', 70_000),
        ];
        $stdin = random_bytes(140_000);

        $request = Frames::request(FastCgiRecords::request($params, $stdin));

        self::assertSame([$params, $stdin, 0], [$request['params'], $request['stdin'], $request['flags']]);
        // Two parts of parameters and three of the body, each stream with its empty end.
        self::assertSame([1, 4, 4, 4, 5, 5, 5, 5], $request['types']);
    }

    #[Test]
    public function a_request_goes_out_as_far_as_the_socket_takes_it(): void
    {
        $exchange = new FastCgiExchange(Address::parse('9000'), $request = random_bytes(200_000), 1_000);
        $sent = '';

        while ($exchange->hasMoreToSend()) {
            $taken = random_int(0, 70_000);
            $sent .= substr($exchange->toSend(), 0, $taken);
            $exchange->sent(min($taken, strlen($exchange->toSend())));
        }

        self::assertSame(md5($request), md5($sent));
    }

    #[Test]
    public function headers_end_at_the_first_empty_line_in_either_writing(): void
    {
        self::assertSame(
            "a\r\n\r\nb",
            FastCgiResponse::fromOutput("Status: 201 Created\r\nX-Y: 1:2\r\n\r\na\r\n\r\nb", '')->body,
        );
        self::assertSame(
            [201, '1:2'],
            [
                FastCgiResponse::fromOutput("Status: 201 Created\r\nX-Y: 1:2\r\n\r\n", '')->status,
                FastCgiResponse::fromOutput("X-Y: 1:2\n\n", '')->headers['x-y'],
            ],
        );
        self::assertSame(
            [200, 'no headers'],
            [
                FastCgiResponse::fromOutput('no headers', '')->status,
                FastCgiResponse::fromOutput('no headers', '')->body,
            ],
        );
    }

    #[Test]
    public function a_refusal_of_fpm_is_told_from_that_of_a_script(): void
    {
        $at = Address::parse('/run/php.sock');
        $own = FastCgiResponse::fromOutput("Status: 404 Not Found\r\n\r\nFile not found.", '');
        self::assertSame($own, $own->assertScriptRan($at, '/x.php'));

        $failures = [];

        foreach ([
            'Primary script unknown',
            'Unable to open primary script: /x.php (Operation not permitted)',
            "Access to the script '/x' has been denied (see security.limit_extensions)",
        ] as $words) {
            try {
                FastCgiResponse::fromOutput("Status: 404 Not Found\r\n\r\n", $words)->assertScriptRan($at, '/x.php');
            } catch (UnableToQueryPool $e) {
                self::assertStringContainsString($words, $e->getMessage());
                $failures[] = $e->failure;
            }
        }

        self::assertSame(
            [FastCgiFailure::ScriptNotFound, FastCgiFailure::ScriptNotFound, FastCgiFailure::ExtensionNotAllowed],
            $failures,
        );
    }

    #[Test]
    public function addresses_are_read_as_fpm_and_nginx_write_them(): void
    {
        $targets = array_map(static fn (string $text): string => Address::parse($text)->target(), [
            '/run/a.sock', 'unix:/run/a.sock', '127.0.0.1:9000', '9000', '*:9000', '0.0.0.0:9000', '[::]:9000',
            '[fe80::1]:9000', 'php-fpm:9000',
        ]);

        self::assertSame([
            'unix:///run/a.sock', 'unix:///run/a.sock', 'tcp://127.0.0.1:9000', 'tcp://127.0.0.1:9000',
            'tcp://127.0.0.1:9000', 'tcp://127.0.0.1:9000',
            'tcp://[::1]:9000', 'tcp://[fe80::1]:9000', 'tcp://php-fpm:9000',
        ], $targets);
    }

    /** @return iterable<string, array{string}> */
    public static function noAddresses(): iterable
    {
        foreach ([
            '', 'a b', 'run/php.sock', '0', '65536', '127.0.0.1', '127.0.0.1:', '::1:9000:x', "/run/a\0b",
            'http://a:80', '$upstream',
        ] as $text) {
            yield $text => [$text];
        }
    }

    #[Test]
    #[DataProvider('noAddresses')]
    public function a_text_that_is_not_an_address_is_refused(string $text): void
    {
        try {
            Address::parse($text);
            self::fail('That is no address.');
        } catch (UnableToQueryPool $e) {
            self::assertSame(FastCgiFailure::NoAddress, $e->failure);
        }
    }

    private static function answer(): string
    {
        return Frames::record(Frames::ERR, 'a ')
            .Frames::record(Frames::OUT, "Status: 404 Not Found\r\nContent-ty", 3)
            .Frames::record(Frames::OUT, "pe: text/plain\r\n\r\none ", 255)
            .Frames::record(Frames::ERR, 'warning')
            .Frames::record(Frames::OUT, 'two')
            .Frames::record(Frames::OUT, '')
            .Frames::end();
    }

    private static function exchange(): FastCgiExchange
    {
        return new FastCgiExchange(Address::parse('/run/php.sock'), '', 1_000);
    }
}
