<?php

declare(strict_types=1);

namespace Headroom\Tests\Format;

use Closure;
use RuntimeException;

/**
 * Text that gives a frame a checksum with a wanted end. A CRC is affine: each bit of the text turns over the same bits
 * of the checksum for any values of the others, so that the bits to turn are the solution of linear equations.
 */
final class Collision
{
    /** Each of these characters has four bits that may be either way: 60 to 6F are text without an escape. */
    private const START = '````````````````';

    /**
     * @param Closure(string): string $frame of a text of 16 letters
     * @param string $end 1 to 4 bytes
     */
    public static function frame(Closure $frame, string $end): string
    {
        $bits = 8 * strlen($end);
        $base = self::endOf($frame(self::START), $end);
        $wanted = $base ^ self::number($end);
        $rows = [];

        for ($free = 0; $free < 4 * strlen(self::START); $free++) {
            self::reduce(
                $rows,
                self::endOf($frame(self::turned(self::START, 1 << $free)), $end) ^ $base,
                1 << $free,
                $bits,
            );
        }

        $turn = 0;

        for ($bit = $bits - 1; $bit >= 0; $bit--) {
            if (($wanted >> $bit & 1) === 1) {
                [$change, $by] = $rows[$bit] ?? throw new RuntimeException('16 letters do not suffice.');
                $wanted ^= $change;
                $turn ^= $by;
            }
        }

        $found = $frame(self::turned(self::START, $turn));

        return str_ends_with($found, $end)
            ? $found
            : throw new RuntimeException('The checksum is not affine in this text.');
    }

    /**
     * @param array<int, array{int, int}> $rows change of the checksum and the bits of the text that make it,
     *     by its highest bit
     */
    private static function reduce(array &$rows, int $change, int $by, int $bits): void
    {
        for ($bit = $bits - 1; $bit >= 0; $bit--) {
            if (($change >> $bit & 1) === 0) {
                continue;
            }

            if (! isset($rows[$bit])) {
                $rows[$bit] = [$change, $by];

                return;
            }

            $change ^= $rows[$bit][0];
            $by ^= $rows[$bit][1];
        }
    }

    private static function turned(string $text, int $bits): string
    {
        for ($at = 0; $at < strlen($text); $at++) {
            $text[$at] = $text[$at] ^ chr($bits >> 4 * $at & 15);
        }

        return $text;
    }

    private static function endOf(string $frame, string $end): int
    {
        return self::number(substr($frame, -strlen($end)));
    }

    private static function number(string $bytes): int
    {
        return (int) hexdec(bin2hex($bytes));
    }
}
