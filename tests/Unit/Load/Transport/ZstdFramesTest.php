<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Transport;

use Headroom\Load\Transport\ZstdFrames;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Frames of RFC 8878, made of blocks that need no compressor, and one by the zstd program.
 */
final class ZstdFramesTest extends TestCase
{
    private const MAGIC = "\x28\xB5\x2F\xFD";

    /** Of zstd 1.5.4, with a checksum. */
    private const REAL = 'KLUv/QRYnQAAaGhlbGxvICwgd29ybGQBAEKWIke5aQA=';

    /** @return iterable<string, array{string, list<int>}> data, and where blocks and frames end */
    public static function frames(): iterable
    {
        $raw = self::block('page', true);
        yield 'one block' => [self::MAGIC."\x00\x50{$raw}", [13]];
        yield 'a single segment' => [self::MAGIC."\x20\x04{$raw}", [13]];
        yield 'a size of 8 bytes, a dictionary, a checksum' => [
            self::MAGIC."\xE7".str_repeat("\x01", 12).$raw.'sums', [28],
        ];
        yield 'a size of 2 bytes' => [self::MAGIC."\x40\x50\x01\x02{$raw}", [15]];
        yield 'several blocks' => [
            self::MAGIC."\x00\x50".self::block('one', false).self::rle('x', 90_000, false).$raw, [12, 16, 23],
        ];
        yield 'an empty last block' => [
            self::MAGIC."\x00\x50".self::block('one', false).self::block('', true), [12, 15],
        ];
        yield 'an empty last block and a checksum' => [self::MAGIC."\x04\x50".self::block('', true).'sums', [13]];
        yield 'a frame that is passed over' => ["\x5F\x2A\x4D\x18\x03\x00\x00\x00any", [11]];
        yield 'an empty one' => ["\x50\x2A\x4D\x18\x00\x00\x00\x00", [8]];
        yield 'by the program' => [base64_decode(self::REAL, true), [strlen(base64_decode(self::REAL, true))]];
    }

    /** @param list<int> $ends */
    #[Test]
    #[DataProvider('frames')]
    public function each_block_ends_a_piece_and_only_whole_frames_are_whole(string $frame, array $ends): void
    {
        $data = $frame.$frame;
        $ends = [...$ends, ...array_map(static fn (int $end): int => strlen($frame) + $end, $ends)];

        foreach ([1, 2, 3, 5, 1_000] as $step) {
            $pieces = new ZstdFrames;
            [$seen, $at] = [[], 0];

            foreach (str_split($data, $step) as $part) {
                foreach ($pieces->cut($part) as $piece) {
                    self::assertSame(substr($data, $at, strlen($piece)), $piece);
                    $seen[] = $at += strlen($piece);
                }

                self::assertSame($at === strlen($frame) || $at === strlen($data), $pieces->isWhole(), "{$step}: {$at}");
            }

            self::assertSame([strlen($data), []], [$at, array_diff($ends, $seen)], "in steps of {$step}");
        }
    }

    #[Test]
    public function what_follows_the_last_frame_is_padding_and_what_begins_otherwise_is_passed_on(): void
    {
        $frame = base64_decode(self::REAL, true);

        foreach (["\n", "\0\0\0\0\0\0", 'garbage'] as $padding) {
            $pieces = new ZstdFrames;
            $given = '';

            foreach (str_split($frame.$padding, 3) as $part) {
                $given .= implode('', $pieces->cut($part));
            }

            self::assertSame($frame, substr($given, 0, strlen($frame)));
            self::assertTrue($pieces->isWhole());
        }

        $pieces = new ZstdFrames;
        self::assertSame('<html>', implode('', $pieces->cut('<html>')));
        self::assertFalse($pieces->isWhole());
    }

    private static function block(string $content, bool $isLast): string
    {
        return substr(pack('V', ($isLast ? 1 : 0) | (strlen($content) << 3)), 0, 3).$content;
    }

    private static function rle(string $byte, int $times, bool $isLast): string
    {
        return substr(pack('V', ($isLast ? 1 : 0) | (1 << 1) | ($times << 3)), 0, 3).$byte;
    }
}
