<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Spool\FileStore\Segment\CorruptRange;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Tests\Format\Collision;
use Headroom\Tests\Format\PackageReader;
use Headroom\Tests\Format\SegmentBuilder;
use Headroom\Tests\Format\Segments;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A frame that was cut 1 to 4 bytes before its end, where just these bytes come behind it: the magic of the next frame
 * or the zeros of a seal. One frame in 256 can be cut so.
 */
final class BorrowedBytesTest extends TestCase
{
    private string $path;

    protected function setUp(): void
    {
        $this->path = sys_get_temp_dir().'/headroom-borrowed-'.bin2hex(random_bytes(8));
    }

    protected function tearDown(): void
    {
        @unlink($this->path);
    }

    /** @return iterable<string, array{string}> */
    public static function ofMagic(): iterable
    {
        foreach (Segments::strangeEnds() as $name => $end) {
            if ($end[0] !== "\0") {
                yield $name => [$end];
            }
        }
    }

    /** @return iterable<string, array{string}> */
    public static function ofSeal(): iterable
    {
        foreach (Segments::strangeEnds() as $name => $end) {
            if ($end[0] === "\0") {
                yield $name => [$end];
            }
        }
    }

    /** @return iterable<string, array{string}> */
    public static function all(): iterable
    {
        yield from self::ofMagic();
        yield from self::ofSeal();
    }

    #[Test]
    #[DataProvider('ofMagic')]
    public function a_frame_cut_before_the_next_magic_is_torn_and_the_next_is_read(string $end): void
    {
        foreach ([SegmentBuilder::ofWriter(), SegmentBuilder::ofWriter()->seal()] as $segment) {
            $segment->add(['n' => 1]);
            $from = strlen($segment->bytes);
            $segment->addCutBefore($end);
            $to = strlen($segment->bytes);
            $segment->add(['n' => 2])->add(['n' => 3]);

            $this->assertRead($segment, [new CorruptRange($from, $to, true)]);
            $this->assertRead($segment->seal(), [new CorruptRange($from, $to, true)]);
        }
    }

    #[Test]
    #[DataProvider('ofSeal')]
    public function a_frame_that_was_cut_before_a_seal_is_torn_and_no_event_more(string $end): void
    {
        // A killed writer's frame begins at an odd offset where a killed sealer's seal is before it.
        foreach ([SegmentBuilder::ofWriter(), SegmentBuilder::ofWriter()->seal()] as $segment) {
            $from = strlen($segment->bytes);
            $segment->addCutBefore($end)->seal();
            $gap = new CorruptRange($from, strlen($segment->bytes), true);

            $this->assertRead($segment, [$gap]);
            $this->assertRead($segment->add(['n' => 2])->seal(), [$gap]);
        }
    }

    #[Test]
    #[DataProvider('all')]
    public function a_whole_frame_that_ends_so_is_read_with_any_bytes_behind_it(string $end): void
    {
        $whole = static fn (): SegmentBuilder => SegmentBuilder::ofWriter()->addEndingWith($end);
        $odd = static fn (): SegmentBuilder => SegmentBuilder::ofWriter()->seal()->addEndingWith($end);

        foreach ([$whole, $odd] as $segment) {
            $this->assertRead($segment(), []);
            $this->assertRead($segment()->seal(), []);
            $this->assertRead($segment()->seal()->add(['n' => 2])->seal(), []);
            $this->assertRead($segment()->add(['n' => 2])->addEndingWith($end)->seal(), []);
            $this->assertRead($segment()->addEndingWith($end)->addEndingWith($end), []);

            foreach ([1, 2, 3, 4, 11, 19, 27, 40] as $bytes) {
                $torn = $segment();
                $from = strlen($torn->bytes);
                $torn->addTorn(['n' => 2, 'text' => 'long enough'], $bytes);

                $this->assertRead($torn, [new CorruptRange($from, strlen($torn->bytes), true)]);
                $this->assertRead($torn->seal(), [new CorruptRange($from, strlen($torn->bytes), true)]);
            }
        }
    }

    /**
     * As another writer's header frame may. Its seal is as long as a zero of its own and the seal of an even offset.
     */
    #[Test]
    public function a_whole_frame_that_ends_at_an_odd_offset_is_read_before_its_seal(): void
    {
        $segment = SegmentBuilder::withHeader()->addEndingWith("\0");
        self::assertSame(1, strlen($segment->bytes) % 2);

        $this->assertRead($segment->seal(), []);
        $this->assertRead($segment->add(['n' => 2]), []);
    }

    #[Test]
    #[DataProvider('all')]
    public function a_header_frame_can_be_cut_so_as_well(string $end): void
    {
        // One that ends at an odd offset and one at an even one.
        foreach (['', 'x'] as $more) {
            $header = Collision::frame(
                static fn (string $text): string => Frame::header("{\"node\":\"{$text}{$more}\"}", 7),
                $end,
            );
            $segment = new SegmentBuilder(even: true);
            $segment->bytes = substr($header, 0, -strlen($end));

            if ($end[0] === "\0") {
                $segment->seal();
            }

            $segment->add(['n' => 1]);
            file_put_contents($this->path, $segment->bytes);
            $items = PackageReader::items($this->path);
            self::assertEquals(
                $segment->frames[0],
                end($items),
                'The first event is read, although the header frame was cut.',
            );
            self::assertCount(2, $items);
            self::assertTrue($items[0] instanceof Frame || $items[0]->torn);
        }
    }

    /** @param list<CorruptRange> $gaps */
    private function assertRead(SegmentBuilder $segment, array $gaps): void
    {
        file_put_contents($this->path, $segment->bytes);
        $items = PackageReader::items($this->path);

        self::assertEquals(
            $segment->frames,
            array_values(array_filter($items, static fn (Frame|CorruptRange $item): bool => $item instanceof Frame)),
        );
        self::assertEquals(
            $gaps,
            array_values(array_filter(
                $items,
                static fn (Frame|CorruptRange $item): bool => $item instanceof CorruptRange,
            )),
        );
    }
}
