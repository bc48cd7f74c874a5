<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Transport;

use Headroom\Load\Transport\ContentDecoder;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * br and zstd, where PHP has their extensions.
 */
final class OtherCodingsTest extends TestCase
{
    #[Test]
    #[RequiresPhpExtension('brotli')]
    public function a_body_in_br_is_decoded_and_one_that_is_cut_is_a_failure(): void
    {
        $this->assertDecoded('br', static fn (string $text): string => self::call('brotli_compress', $text));
    }

    #[Test]
    #[RequiresPhpExtension('zstd')]
    public function a_body_in_zstd_is_decoded_and_one_that_is_cut_is_a_failure(): void
    {
        $this->assertDecoded('zstd', static fn (string $text): string => self::call('zstd_compress', $text));
    }

    #[Test]
    #[RequiresPhpExtension('zstd')]
    public function several_frames_of_zstd_and_many_blocks_in_a_few_bytes_are_decoded(): void
    {
        $nothing = str_repeat("\0", 3_000_000);
        $body = self::call('zstd_compress', $nothing).self::call('zstd_compress', 'second');

        foreach ([1, 7, 100_000] as $step) {
            self::assertSame([$nothing.'second', null], $this->decoded('zstd', $body, $step));
        }
    }

    /** @param callable(string): string $compress */
    private function assertDecoded(string $coding, callable $compress): void
    {
        foreach ([
            'page', str_repeat('<p>page</p>', 30_000), bin2hex(random_bytes(2_000)), implode(',', range(1, 2_000)),
        ] as $page) {
            $body = $compress($page);

            foreach ([1, 5, 1_000_000] as $step) {
                self::assertSame([$page, null], $this->decoded($coding, $body, $step));
            }

            for ($length = 1; $length < strlen($body); $length += 1 + intdiv(strlen($body), 500)) {
                self::assertNotNull(
                    $this->decoded($coding, substr($body, 0, $length), 1_000)[1],
                    "{$length} of ".strlen($body),
                );
            }
        }

        self::assertNotNull(
            $this->decoded($coding, $compress(str_repeat("\0", ContentDecoder::MOST_BYTES + 1)), 100)[1],
        );
        self::assertNotNull($this->decoded($coding, '<html>a page that is not compressed</html>', 100)[1]);
    }

    /**
     * @param positive-int $step
     * @return array{string, ?string}
     */
    private function decoded(string $coding, string $body, int $step): array
    {
        $decoder = ContentDecoder::of("HTTP/1.1 200 OK\r\nContent-Encoding: {$coding}\r\n\r\n");
        self::assertNotNull($decoder);
        $decoded = '';

        foreach (str_split($body, $step) as $piece) {
            $decoded .= $decoder->decode($piece);
        }

        return [$decoded, $decoder->failure()?->getMessage()];
    }

    /** Their functions are there with their extension alone. */
    private static function call(string $function, string $text): string
    {
        self::assertTrue(is_callable($function));
        $compressed = $function($text);
        self::assertIsString($compressed);

        return $compressed;
    }
}
