<?php

declare(strict_types=1);

namespace Headroom\Tests\Format;

use Headroom\Spool\FileStore\Segment\CorruptRange;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use Random\Randomizer;
use RuntimeException;

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
        $segment = SegmentBuilder::ofWriter();

        foreach (range(1, 8) as $n) {
            $segment->add(['n' => $n, 'text' => str_repeat('text ', $n * $n % 23)]);
        }

        return $segment->add(['n' => 9], ['n' => 10, 'text' => "Grüße\n世界"], ['n' => 11])
            ->add(['n' => 12])
            ->add(['n' => 13])
            ->add(['last' => true]);
    }

    public static function segmentWithTornFrames(): SegmentBuilder
    {
        $long = ['text' => str_repeat('long ', 1000)];

        return SegmentBuilder::ofWriter()->add(['n' => 1])
            ->addTorn($long, 90)->add(['n' => 2])
            ->addTorn($long, 3)->add(['n' => 3, 'text' => 'more than the bytes of a header'])
            ->addTorn($long, 22)->add(['n' => 4])
            ->addTorn(['n' => 5], -2)->add(['n' => 6], ['n' => 7])
            ->addTorn($long, 28)->addTorn($long, 50)->add(['n' => 8])
            ->addTorn($long, 12);
    }

    /** After one sealer had been killed before it could rename. */
    public static function sealed(): SegmentBuilder
    {
        return self::segment()->seal()->add(['n' => 14, 'text' => 'behind a seal'])->add(['n' => 15])->seal();
    }

    /** After two had been. */
    public static function sealedWithTornFrames(): SegmentBuilder
    {
        $long = ['text' => str_repeat('long ', 1000)];

        return self::segmentWithTornFrames()->seal()->add(['n' => 9])
            ->addTorn($long, 41)->seal()->add(['n' => 10], ['n' => 11])->add(['n' => 12])
            ->addTorn($long, 33)->seal();
    }

    /** Whole frames that end like frames that were cut and found their last bytes in what came behind. */
    public static function segmentWithStrangeEnds(): SegmentBuilder
    {
        $segment = SegmentBuilder::ofWriter();

        foreach (self::strangeEnds() as $end) {
            $segment->addEndingWith($end);
        }

        return $segment->add(['last' => true])->seal();
    }

    /** @return array<string, string> by name: how the magic or a seal begins */
    public static function strangeEnds(): array
    {
        $ends = [];

        foreach (range(1, 4) as $bytes) {
            $ends["magic-{$bytes}"] = substr(Frame::MAGIC, 0, $bytes);
            $ends["seal-{$bytes}"] = str_repeat("\0", $bytes);
        }

        return $ends;
    }

    /** @return non-empty-list<SegmentBuilder> */
    public static function all(): array
    {
        return [
            self::segment(),
            self::segmentWithTornFrames(),
            self::sealed(),
            self::sealedWithTornFrames(),
            self::segmentWithStrangeEnds(),
        ];
    }

    public static function otherSegment(): SegmentBuilder
    {
        $other = new SegmentBuilder(even: true);

        foreach (range(1, 9) as $n) {
            $other->add(['other' => $n, 'text' => str_repeat('elsewhere', $n)]);
        }

        return $other;
    }

    /** Whether the bytes between two items are allowed: none, or a seal. */
    public static function isNothingOrSeal(string $bytes, int $from, int $to): bool
    {
        return $from === $to
            || ($to === $from + 17 - $from % 2 && strspn($bytes, "\0", $from, $to - $from) === $to - $from);
    }

    public static function damaged(Randomizer $random): string
    {
        $all = self::all();
        $segment = $all[$random->getInt(0, count($all) - 1)];
        $bytes = $segment->bytes;

        for ($times = $random->getInt(1, 4); $times > 0; $times--) {
            $at = $random->getInt(0, max(0, strlen($bytes) - 1));
            $length = $random->getInt(1, 300);
            $frame = $segment->frames[$random->getInt(0, count($segment->frames) - 1)];

            $bytes = match ($random->getInt(0, 8)) {
                0 => substr($bytes, 0, $at),
                1 => substr_replace($bytes, str_repeat("\0", $length), $at, $length),
                2 => substr_replace($bytes, $random->getBytes($length), $at, $length),
                3 => substr_replace($bytes, self::bytesOf($segment, $frame), $at, $length),
                4 => substr_replace($bytes, $random->getBytes(4), $frame->offset + 8, 4),
                5 => substr_replace($bytes, substr(self::otherSegment()->bytes, $at, $length), $at, $length),
                6 => substr_replace($bytes, str_repeat("\0", $random->getInt(14, 20)), $frame->end, 0),
                7 => $bytes.str_repeat("\0", $random->getInt(14, 20)),
                default => substr_replace($bytes, chr($random->getInt(0, 255)), $at, 1),
            };
        }

        return $bytes;
    }

    /**
     * @param int<0, max> $from
     * @return list<Frame|CorruptRange>
     */
    public static function items(string $bytes, int $from = 0): array
    {
        return iterator_to_array((new SegmentReader(self::inMemory($bytes)))->read($from), false);
    }

    /** @return resource */
    public static function inMemory(string $bytes)
    {
        $file = fopen('php://memory', 'w+');

        if ($file === false || fwrite($file, $bytes) !== strlen($bytes) || ! rewind($file)) {
            throw new RuntimeException('php://memory took less than it was given.');
        }

        return $file;
    }
}
