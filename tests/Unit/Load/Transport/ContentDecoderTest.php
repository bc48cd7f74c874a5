<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Transport;

use Headroom\Load\Transport\ContentDecoder;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[RequiresPhpExtension('zlib')]
final class ContentDecoderTest extends TestCase
{
    private const TEXT = '<input name="_token" value="';

    /** @return iterable<string, array{string, string, string}> header, body, and what is in it */
    public static function bodies(): iterable
    {
        $text = str_repeat(self::TEXT, 300);

        yield 'gzip' => ['gzip', self::gzip($text), $text];
        yield 'its old name, in capitals' => ['X-GZIP', self::gzip($text), $text];
        yield 'two in a row' => ['gzip', self::gzip($text).self::gzip('end'), "{$text}end"];
        yield 'padding behind it' => ['gzip', self::gzip($text)."\0\0\0\x1f and more", $text];
        yield 'deflate in zlib' => ['deflate', (string) gzcompress($text), $text];
        yield 'raw deflate' => ['Deflate', (string) gzdeflate($text), $text];
        yield 'one in the other' => ['deflate, gzip', self::gzip((string) gzdeflate($text)), $text];
        yield 'in a line of its own each' => [
            "gzip\r\nX-Other: br\r\nContent-Encoding: identity,deflate", (string) gzcompress(self::gzip($text)), $text,
        ];
        yield 'as a transfer coding' => ["identity\r\nTransfer-Encoding: gzip, chunked", self::gzip($text), $text];
        yield 'nothing in it' => ['gzip', self::gzip(''), ''];
        yield 'no bytes' => ['br', '', ''];
    }

    #[Test]
    #[DataProvider('bodies')]
    public function a_body_is_decoded_however_it_is_cut(string $header, string $body, string $text): void
    {
        foreach ([1, 2, 3, 17, 1_000, 100_000] as $bytes) {
            $decoder = self::of($header);
            $decoded = '';

            foreach ($body === '' ? [] : str_split($body, $bytes) as $piece) {
                $decoded .= $decoder->decode($piece);
            }

            self::assertSame([$text, null], [$decoded, $decoder->failure()?->getMessage()], "pieces of {$bytes}");
        }
    }

    #[Test]
    public function each_body_that_ends_too_early_is_a_failure(): void
    {
        $random = random_bytes(200);

        foreach ([
            'gzip' => self::gzip($random),
            'deflate' => (string) gzcompress($random),
            'deflate, gzip' => self::gzip((string) gzdeflate($random)),
        ] as $header => $body) {
            for ($length = 1; $length < strlen($body); $length++) {
                $decoder = self::of($header);
                $decoder->decode(substr($body, 0, $length));
                self::assertNotNull($decoder->failure(), "{$header}, {$length} bytes");
            }
        }
    }

    #[Test]
    public function changed_bytes_of_gzip_are_a_failure(): void
    {
        $body = self::gzip(random_bytes(100));

        // Behind the header, whose flags and time may be any; the sum and the length at the end
        // are of all that is before.
        for ($at = 10; $at < strlen($body); $at++) {
            $decoder = self::of('gzip');
            $decoder->decode(substr_replace($body, chr(ord($body[$at]) ^ 0x5A), $at, 1));
            self::assertNotNull($decoder->failure(), "byte {$at}");
        }
    }

    /** @return iterable<string, array{string, string}> */
    public static function impossible(): iterable
    {
        yield 'a page that only says so' => ['gzip', '<html>'];
        yield 'deflate that is none' => ['deflate', "\xff\xff\xff\xff"];
        yield 'too many' => ['gzip, gzip, gzip, gzip, gzip, gzip', self::gzip('x')];
        yield 'a bomb' => ['gzip', self::gzip(str_repeat("\0", ContentDecoder::MOST_BYTES + 1))];
        yield 'a bomb in a bomb' => [
            'gzip, gzip', self::gzip(self::gzip(str_repeat("\0", 3 * ContentDecoder::MOST_BYTES))),
        ];
    }

    #[Test]
    #[DataProvider('impossible')]
    public function what_cannot_be_decoded_is_a_failure(string $header, string $body): void
    {
        $decoder = self::of($header);
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $decoder->decode($body);

        self::assertNotNull($decoder->failure());
        self::assertLessThan(6 * ContentDecoder::MOST_BYTES, memory_get_peak_usage() - $before);
        self::assertSame('', $decoder->decode('more'));
    }

    #[Test]
    public function an_unknown_coding_leaves_the_bytes_and_is_an_obstacle(): void
    {
        foreach (['utf-8', 'utf-8, gzip', 'gzip, lzma'] as $header) {
            $decoder = self::of($header);

            self::assertSame('page', $decoder->decode(str_contains($header, 'gzip') ? self::gzip('page') : 'page'));
            self::assertNull($decoder->failure());
            self::assertNotNull($decoder->obstacle());
        }
    }

    /** @return iterable<string, array{string}> */
    public static function plain(): iterable
    {
        yield 'no header' => ['X-Other: gzip'];
        yield 'the body as it is' => ['Content-Encoding: identity'];
        yield 'nothing in it' => ['Content-Encoding:'];
        yield 'chunks' => ['Transfer-Encoding: chunked'];
        yield 'what the client may send' => ['Accept-Encoding: gzip'];
    }

    #[Test]
    #[DataProvider('plain')]
    public function a_body_without_a_coding_needs_no_decoder(string $header): void
    {
        self::assertNull(ContentDecoder::of("HTTP/1.1 200 OK\r\n{$header}\r\n\r\n"));
    }

    private static function of(string $header): ContentDecoder
    {
        $decoder = ContentDecoder::of(
            "HTTP/1.1 200 OK\r\nServer: x\r\ncontent-ENCODING : {$header}\r\nContent-Length: 5\r\n\r\n",
        );
        self::assertNotNull($decoder);

        return $decoder;
    }

    private static function gzip(string $text): string
    {
        return (string) gzencode($text);
    }
}
