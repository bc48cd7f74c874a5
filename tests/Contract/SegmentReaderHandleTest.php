<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Spool\FileStore\Segment\CorruptRange;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use Headroom\Tests\Format\SegmentBuilder;
use Headroom\Tests\Format\Segments;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A segment is read in pieces, from a handle that may move and a file that may become shorter.
 */
final class SegmentReaderHandleTest extends TestCase
{
    #[Test]
    public function a_frame_is_found_wherever_it_lies_across_what_is_read_at_once(): void
    {
        foreach (range(262_144 - 40, 262_144 + 4) as $noise) {
            $frame = Frame::events('{"n":1}', 1, $noise, 7);
            $items = Segments::items(str_repeat("\xF5", $noise).$frame);

            self::assertEquals(
                [new CorruptRange(0, $noise, false), new Frame($noise, $noise + strlen($frame), 1, 1, 7, '{"n":1}')],
                $items,
            );
        }
    }

    #[Test]
    public function the_largest_frame_is_read_and_repaired(): void
    {
        $payload = '{"text":"'.str_repeat('x', Frame::MAX_PAYLOAD_BYTES - 11).'"}';
        $bytes = Frame::events($payload, 1, 0, 7);
        $next = Frame::events('{"n":1}', 1, strlen($bytes), 8);
        $frames = [
            new Frame(0, strlen($bytes), 1, 1, 7, $payload),
            new Frame(strlen($bytes), strlen($bytes.$next), 1, 1, 8, '{"n":1}'),
        ];

        self::assertEquals($frames, Segments::items($bytes.$next));
        self::assertEquals($frames, Segments::items(substr_replace($bytes, pack('N', 5), 8, 4).$next));

        $tooLarge = Frame::events("{$payload} ", 1, 0, 7);
        self::assertEquals([new CorruptRange(0, strlen($tooLarge), false)], Segments::items($tooLarge));
    }

    #[Test]
    public function a_caller_that_gets_a_gap_may_move_the_handle(): void
    {
        $segment = SegmentBuilder::withHeader();

        for ($n = 0; strlen($segment->bytes) < 600_000; $n++) {
            $segment->add(['n' => $n, 'text' => str_repeat('x', 2000)]);
        }

        $bytes = $segment->bytes;
        $bytes[$segment->offset(3)] = 'x';
        $file = Segments::inMemory($bytes);
        $seen = [];

        foreach ((new SegmentReader($file))->read() as $item) {
            fseek($file, 17);
            $seen[] = $item->offset;
        }

        self::assertSame(array_map(static fn (Frame $frame): int => $frame->offset, $segment->frames), $seen);
    }

    #[Test]
    public function a_file_that_became_shorter_meanwhile_is_read_to_where_it_ends(): void
    {
        $segment = Segments::segment();
        $file = Segments::inMemory($segment->bytes.str_repeat('x', 9_000_000));
        $scanner = new SegmentReader($file);
        ftruncate($file, strlen($segment->bytes));
        $items = iterator_to_array($scanner->read(), false);

        self::assertEquals($segment->frames, array_slice($items, 0, 13));
        self::assertCount(14, $items);
        self::assertSame($scanner->size, end($items)->end ?? 0);
    }
}
