<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Position;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\UnableToAppend;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Format\Collision;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * The kernel takes only a part of a frame. Real ones: see CrampedWriter.
 */
final class ShortWriteTest extends FaultTestCase
{
    #[Test]
    #[TestWith(['opened'])]
    #[TestWith(['kept'])]
    public function a_frame_written_in_part_is_cut_off_and_leaves_no_gap(string $how): void
    {
        $result = $this->child('append with too little room', [$how, 'before', 'refused', 'after', 'later'])->result();

        self::assertIsString($result['failure']);
        Sentence::assertIn(
            UnableToAppend::wroteTooLittle(Sentence::ANY, 40, Sentence::NUMBER, Sentence::ANY),
            $result['failure'],
        );
        self::assertSame($result['before'], $result['after']);
        self::assertSame([], $this->flush()->losses);
        $this->assertDeliveredOnce(['before', 'after', 'later', ...($how === 'kept' ? ['scope'] : [])]);
    }

    #[Test]
    #[TestDox('PHP process killed in the middle of an append')]
    public function a_writer_killed_before_it_could_cut_back_leaves_a_part_that_readers_skip(): void
    {
        $writer = $this->child(
            'append with too little room',
            ['opened', 'before', 'refused'],
            ['slot.short-write' => Act::Kill],
        );
        $writer->awaitKilled();
        $this->world->append(['after']);
        $losses = array_values($this->flush()->losses);

        self::assertCount(1, $losses);
        self::assertFalse($losses[0]->isAlarming);
        self::assertSame(MissingRange::torn(Position::start(), 40)->message, $losses[0]->message);
        $this->assertDeliveredOnce(['before', 'after']);
    }

    #[Test]
    #[TestWith(["\xF5"])]
    #[TestWith(["\xF5HR\x01"])]
    #[TestWith(["\0"])]
    #[TestWith(["\0\0\0"])]
    public function a_frame_that_lacks_bytes_is_not_completed_by_the_next_one(string $end): void
    {
        $this->world->append(['before']);
        $slot = "{$this->world->layout()->active}/{$this->slots()[0]}";
        $size = (int) filesize($slot);
        $frame = Collision::frame(
            static fn (string $text): string => Frame::events("{\"id\":\"{$text}\",\"body\":\"\"} ", 1, $size, 7),
            $end,
        );
        file_put_contents($slot, substr($frame, 0, -strlen($end)), FILE_APPEND);

        if ($end[0] !== "\0") {
            $this->world->append(['after']);
        }

        $losses = array_values($this->flush()->losses);
        self::assertCount(1, $losses);
        self::assertFalse($losses[0]->isAlarming, $losses[0]->message);
        $this->assertDeliveredOnce(['before', ...($end[0] === "\0" ? [] : ['after'])]);
    }

    #[Test]
    #[TestWith(['opened', true])]
    #[TestWith(['opened', false])]
    #[TestWith(['kept', true])]
    #[TestWith(['there is room again', true])]
    #[TestWith(['there is room again', false])]
    public function a_writer_killed_after_a_short_write_leaves_nothing_damaged_or_accepted(
        string $how,
        bool $isFollowed,
    ): void {
        $writer = $this->child(
            'append with too little room',
            [$how, 'before', 'refused'],
            ['slot.asked-why' => Act::Kill],
        );
        $writer->awaitKilled();
        $before = [...($how === 'kept' ? ['scope'] : []), 'before'];

        if ($isFollowed) {
            $this->world->append(['after']);
        }

        $losses = array_values($this->flush()->losses);

        self::assertCount(1, $losses);
        self::assertFalse($losses[0]->isAlarming, $losses[0]->message);
        $this->assertDeliveredOnce([...$before, ...($isFollowed ? ['after'] : [])]);
    }
}
