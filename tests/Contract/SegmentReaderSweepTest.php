<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Bytes;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\FileStore\Segment\CorruptRange;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\Utf8;
use Headroom\Tests\Format\PackageReader;
use Headroom\Tests\Format\Python;
use Headroom\Tests\Format\SegmentBuilder;
use Headroom\Tests\Format\Segments;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * For any damage to a segment's bytes: no frame is read that was not appended, no more is lost than the damaged frames,
 * and a loss of acknowledged events never looks like a torn write.
 */
final class SegmentReaderSweepTest extends TestCase
{
    #[Test]
    public function an_untouched_segment_is_read_as_it_was_written(): void
    {
        $segment = Segments::segment();

        self::assertEquals(
            $segment->frames,
            array_values(array_filter($this->check($segment, $segment->bytes, 0, 0), self::isFrame(...))),
        );
        self::assertCount(13, $segment->frames);
    }

    #[Test, Group('day-3')]
    #[TestDox('flipped bit')]
    public function any_flipped_bit_costs_at_most_its_own_frame(): void
    {
        foreach (Segments::all() as $segment) {
            for ($at = 0, $size = strlen($segment->bytes); $at < $size; $at++) {
                for ($bit = 0; $bit < 8; $bit++) {
                    $bytes = $segment->bytes;
                    $bytes[$at] = $bytes[$at] ^ chr(1 << $bit);

                    $this->check($segment, $bytes, $at, $at + 1);
                }
            }
        }
    }

    #[Test]
    public function a_flipped_bit_in_a_length_costs_nothing(): void
    {
        foreach ([Segments::segment(), Segments::sealed()] as $segment) {
            foreach ($segment->frames as $frame) {
                for ($bit = 0; $bit < 32; $bit++) {
                    $bytes = $segment->bytes;
                    $at = $frame->offset + 8 + intdiv($bit, 8);
                    $bytes[$at] = $bytes[$at] ^ chr(1 << $bit % 8);

                    self::assertEquals($segment->frames, $this->check($segment, $bytes, 0, 0));
                }
            }
        }
    }

    #[Test]
    #[TestDox('torn frame')]
    public function a_segment_cut_at_any_byte_ends_in_a_torn_frame(): void
    {
        $segment = Segments::segment();
        $ends = [0, ...array_map(static fn (Frame $frame): int => $frame->end, $segment->frames)];

        for ($size = 0; $size < strlen($segment->bytes); $size++) {
            // By a killed writer, and then sealed.
            foreach ([0, 17 - $size % 2] as $seal) {
                $items = $this->check(
                    $segment,
                    substr($segment->bytes, 0, $size).str_repeat("\0", $seal),
                    $size,
                    PHP_INT_MAX,
                    cut: true,
                );
                $gaps = array_map(
                    static fn (CorruptRange $gap): bool => $gap->torn,
                    array_values(array_filter(
                        $items,
                        static fn (Frame|CorruptRange $item): bool => $item instanceof CorruptRange,
                    )),
                );

                self::assertSame(
                    in_array($size, $ends, true) ? [] : [true],
                    $gaps,
                    "cut at {$size}, sealed with {$seal} zeros",
                );
            }
        }

        foreach (Segments::all() as $segment) {
            for ($size = 0; $size < strlen($segment->bytes); $size++) {
                $this->check($segment, substr($segment->bytes, 0, $size), $size, strlen($segment->bytes), cut: true);
            }
        }
    }

    #[Test]
    public function a_zeroed_sector_is_damage_and_costs_what_lay_in_it(): void
    {
        foreach (Segments::all() as $segment) {
            $size = strlen($segment->bytes);

            for ($at = 0; $at < $size; $at += 512) {
                $zeros = str_repeat("\0", min(512, $size - $at));

                $this->check($segment, substr_replace($segment->bytes, $zeros, $at, 512), $at, $at + 512);
            }

            // Any start, as other file systems and disks have other blocks.
            for ($at = 0; $at < $size - 512; $at++) {
                $this->check(
                    $segment,
                    substr_replace($segment->bytes, str_repeat("\0", 512), $at, 512),
                    $at,
                    $at + 512,
                );
            }
        }
    }

    #[Test]
    public function zeros_that_are_no_seal_never_make_a_frame_of_events_look_torn(): void
    {
        foreach ([Segments::segment(), Segments::sealed()] as $segment) {
            // Behind the header frame, which holds no event and may end where a seal may.
            for ($at = $segment->offset(1), $size = strlen($segment->bytes); $at < $size; $at++) {
                foreach ([4, 15, 16, 17, 18, 21, 33] as $zeros) {
                    $this->check(
                        $segment,
                        substr(substr_replace($segment->bytes, str_repeat("\0", $zeros), $at, $zeros), 0, $size),
                        $at,
                        $at + $zeros,
                    );
                }
            }
        }
    }

    #[Test]
    public function a_seal_is_neither_torn_nor_damaged_wherever_it_lies(): void
    {
        $segment = Segments::sealed();

        self::assertEquals($segment->frames, $this->check($segment, $segment->bytes, 0, 0));

        foreach ($segment->frames as $i => $frame) {
            self::assertEquals(array_slice($segment->frames, $i + 1), Segments::items($segment->bytes, $frame->end));
        }

        $segment = Segments::sealedWithTornFrames();

        foreach ($this->check($segment, $segment->bytes, 0, 0) as $item) {
            self::assertTrue($item instanceof Frame || $item->torn);
        }
    }

    #[Test]
    public function swapped_frames_are_damage(): void
    {
        $segment = Segments::segment();

        foreach ($segment->frames as $i => $first) {
            foreach (array_slice($segment->frames, $i + 1) as $second) {
                $between = substr($segment->bytes, $first->end, $second->offset - $first->end);
                $bytes = substr($segment->bytes, 0, $first->offset)
                    .Segments::bytesOf($segment, $second).$between.Segments::bytesOf($segment, $first)
                    .substr($segment->bytes, $second->end);

                $this->check($segment, $bytes, $first->offset, $second->end);
            }
        }
    }

    #[Test]
    public function a_repeated_frame_is_damage_and_never_read_twice(): void
    {
        $segment = Segments::segment();

        foreach ($segment->frames as $frame) {
            $copy = Segments::bytesOf($segment, $frame);

            foreach ($segment->frames as $other) {
                $this->check(
                    $segment,
                    substr_replace($segment->bytes, $copy, $other->end, 0),
                    $other->end,
                    PHP_INT_MAX,
                );
                $over = substr_replace($segment->bytes, $copy, $other->offset, strlen($copy));

                if ($other !== $frame) {
                    $this->check($segment, $over, $other->offset, $other->offset + strlen($copy));
                }
            }
        }
    }

    #[Test]
    public function bytes_of_another_segment_are_damage(): void
    {
        $segment = Segments::segment();
        $other = Segments::otherSegment();

        foreach ($other->frames as $frame) {
            // Not a magic with its own offset, which would be believed to begin a frame; see the next test.
            for ($from = max($frame->offset + 1, Frame::HEADER_BYTES); $from < $frame->end; $from += 3) {
                for ($to = $from
                    + 1; $to <= min($frame->end + 19, strlen($segment->bytes), strlen($other->bytes)); $to += 5) {
                    $this->check(
                        $segment,
                        substr_replace($segment->bytes, substr($other->bytes, $from, $to - $from), $from, $to - $from),
                        $from,
                        $to,
                    );
                }
            }
        }
    }

    /**
     * A limit of the format: the offset and the checksum of such a frame are right, and nothing in it names its file.
     */
    #[Test]
    public function a_whole_frame_of_another_segment_at_its_own_offset_is_believed(): void
    {
        $segment = Segments::segment();
        $other = Segments::otherSegment();
        $frame = $other->frames[2];
        $bytes = substr_replace(
            $segment->bytes,
            Segments::bytesOf($other, $frame),
            $frame->offset,
            $frame->end - $frame->offset,
        );

        self::assertContainsEquals($frame, Segments::items($bytes));
    }

    #[Test]
    public function a_segment_inside_a_payload_stays_there(): void
    {
        $inner = Segments::segment()->bytes;
        $encoded = SegmentBuilder::withHeader(new Codec(Utf8::Binary))->add(['file' => $inner])->add(['n' => 2]);
        $items = $this->check($encoded, $encoded->bytes, 0, 0);

        self::assertInstanceOf(Frame::class, $items[1]);
        self::assertEquals(['file' => new Bytes($inner)], (new Codec)->decode($items[1]->payload)[0]);

        // Not even when a writer put it there raw, and the frame around it is damaged.
        $raw = SegmentBuilder::withHeader()->addLines($inner)->add(['n' => 2]);
        $this->check($raw, $raw->bytes, 0, 0);

        foreach ([0, 4, 7, 12, 19, 20, 27, 28, 500] as $byte) {
            $bytes = $raw->bytes;
            $at = $raw->offset(1) + $byte;
            $bytes[$at] = $bytes[$at] ^ "\x04";

            $this->check($raw, $bytes, $at, $at + 1);
        }
    }

    #[Test, Group('day-1')]
    public function both_readers_agree_on_random_damage(): void
    {
        $given = getenv('HEADROOM_SEED');
        $seed = $given === false ? random_int(0, 0xFFFFFFFF) : (int) $given;
        $random = new Randomizer(new Mt19937($seed));
        $directory = sys_get_temp_dir().'/headroom-sweep-'.bin2hex(random_bytes(8));
        mkdir($directory);
        $paths = [];

        for ($i = 0; $i < 200; $i++) {
            $paths[] = $path = sprintf('%s/%03d.log', $directory, $i);
            file_put_contents($path, Segments::damaged($random));
        }

        try {
            $expected = Python::readEach($paths);

            foreach ($paths as $path) {
                self::assertSame(
                    $expected[basename($path)] ?? null,
                    PackageReader::file($path),
                    basename($path)." with HEADROOM_SEED={$seed}",
                );
            }
        } finally {
            array_map(unlink(...), $paths);
            rmdir($directory);
        }
    }

    /**
     * Reads the bytes and checks the rules that hold for any damage to those from $from to $to.
     *
     * @return list<Frame|CorruptRange>
     */
    private function check(SegmentBuilder $original, string $bytes, int $from, int $to, bool $cut = false): array
    {
        $frames = array_combine(
            array_map(static fn (Frame $frame): int => $frame->offset, $original->frames),
            $original->frames,
        );
        $items = Segments::items($bytes);
        $position = 0;

        foreach ($items as $item) {
            if (! Segments::isNothingOrSeal($bytes, $position, $item->offset) || $item->end <= $item->offset) {
                self::fail("An item from {$item->offset} to {$item->end} follows one that ends at {$position}.");
            }

            $position = $item->end;

            if ($item instanceof Frame) {
                if (! isset($frames[$item->offset]) || (array) $frames[$item->offset] !== (array) $item) {
                    self::fail("The frame read at {$item->offset} was never appended: {$item->payload}");
                }

                unset($frames[$item->offset]);
            } elseif ($item->torn && ! $cut && self::overlaps($original->frames, $item->offset, $item->end)) {
                self::fail(
                    "Damage from {$from} to {$to} made a torn gap from {$item->offset} to {$item->end} of a frame that"
                        .' was written whole.',
                );
            }
        }

        foreach ($frames as $frame) {
            if ($frame->end <= $from || $frame->offset >= $to) {
                self::fail("Damage from {$from} to {$to} cost the frame from {$frame->offset} to {$frame->end}.");
            }
        }

        self::assertTrue(
            Segments::isNothingOrSeal($bytes, $position, strlen($bytes)),
            'The last bytes are in no frame and no gap.',
        );

        return $items;
    }

    /** @param list<Frame> $frames */
    private static function overlaps(array $frames, int $from, int $to): bool
    {
        foreach ($frames as $frame) {
            if ($frame->offset < $to && $frame->end > $from) {
                return true;
            }
        }

        return false;
    }

    private static function isFrame(Frame|CorruptRange $item): bool
    {
        return $item instanceof Frame;
    }
}
