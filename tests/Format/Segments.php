<?php

declare(strict_types=1);

namespace Headroom\Tests\Format;

use Headroom\Spool\File\Frame;
use Random\Randomizer;

/**
 * Segments to be damaged.
 */
final class Segments
{
    public static function bytesOf(SegmentBuilder $segment, Frame $frame): string
    {
        return substr($segment->bytes, $frame->offset, $frame->end - $frame->offset);
    }

    public static function segment(): SegmentBuilder
    {
        $segment = SegmentBuilder::withHeader();

        foreach (range(1, 8) as $n) {
            $segment->add(['n' => $n, 'text' => str_repeat('text ', $n * $n % 23)]);
        }

        return $segment->add(['n' => 9], ['n' => 10, 'text' => "Grüße\n世界"], ['n' => 11])->add(['n' => 12])->add(['n' => 13])->add(['last' => true]);
    }

    public static function segmentWithTornFrames(): SegmentBuilder
    {
        $long = ['text' => str_repeat('long ', 1000)];

        return SegmentBuilder::withHeader()->add(['n' => 1])
            ->addTorn($long, 90)->add(['n' => 2])
            ->addTorn($long, 3)->add(['n' => 3, 'text' => 'more than the bytes of a header'])
            ->addTorn($long, 22)->add(['n' => 4])
            ->addTorn(['n' => 5], -2)->add(['n' => 6], ['n' => 7])
            ->addTorn($long, 28)->addTorn($long, 50)->add(['n' => 8])
            ->addTorn($long, 12);
    }

    public static function otherSegment(): SegmentBuilder
    {
        $other = new SegmentBuilder;

        foreach (range(1, 9) as $n) {
            $other->add(['other' => $n, 'text' => str_repeat('elsewhere', $n)]);
        }

        return $other;
    }

    public static function damaged(Randomizer $random): string
    {
        $segment = $random->getInt(0, 1) === 0 ? self::segment() : self::segmentWithTornFrames();
        $bytes = $segment->bytes;

        for ($times = $random->getInt(1, 4); $times > 0; $times--) {
            $at = $random->getInt(0, max(0, strlen($bytes) - 1));
            $length = $random->getInt(1, 300);
            $frame = $segment->frames[$random->getInt(0, count($segment->frames) - 1)];

            $bytes = match ($random->getInt(0, 6)) {
                0 => substr($bytes, 0, $at),
                1 => substr_replace($bytes, str_repeat("\0", $length), $at, $length),
                2 => substr_replace($bytes, $random->getBytes($length), $at, $length),
                3 => substr_replace($bytes, self::bytesOf($segment, $frame), $at, $length),
                4 => substr_replace($bytes, $random->getBytes(4), $frame->offset + 8, 4),
                5 => substr_replace($bytes, substr(self::otherSegment()->bytes, $at, $length), $at, $length),
                default => substr_replace($bytes, chr($random->getInt(0, 255)), $at, 1),
            };
        }

        return $bytes;
    }
}
