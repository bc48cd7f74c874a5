<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\RedisStore;

use Headroom\Core\Position;
use Headroom\Core\SystemClock;
use Headroom\Sink\Source;
use Headroom\Spool\RedisStore\Stream\InDoubtEntry;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\LogEntry;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class InDoubtEntryTest extends TestCase
{
    private const ACCEPTED = 1_700_000_000_000_000;

    #[Test]
    public function each_event_becomes_a_letter_with_its_own_id(): void
    {
        $letters = $this->entry(first: 1)->letters(['b', 'c']);

        self::assertSame(['b', 'c'], array_column($letters, 'line'));
        self::assertSame(
            [$this->id(1), $this->id(2)],
            array_map(static fn (DeadLetter $letter): string => $letter->id, $letters),
        );
        self::assertSame([[self::ACCEPTED, 'redis', 'It may have been delivered.']], array_values(array_unique(
            array_map(
                static fn (DeadLetter $letter): array => [$letter->acceptedAt, $letter->sink, $letter->reason],
                $letters,
            ),
            SORT_REGULAR,
        )));
    }

    #[Test]
    public function events_before_its_position_and_from_the_given_one_on_become_none(): void
    {
        self::assertSame(['a', 'b'], $this->linesBefore(0, 2));
        self::assertSame(['b'], $this->linesBefore(1, 2));
        self::assertSame(['c'], $this->linesBefore(2, 3));
        self::assertSame([], $this->linesBefore(1, 1));
    }

    /**
     * @param int<0, 2> $first
     * @param int<0, 3> $to
     * @return list<string>
     */
    private function linesBefore(int $first, int $to): array
    {
        return array_column($this->entry($first)->lettersBefore(new Position(7, 9, $to)), 'line');
    }

    /** @param int<0, 2> $first */
    private function entry(int $first): InDoubtEntry
    {
        return new InDoubtEntry(
            new LogEntry(new Position(7, 9, $first), new Position(7, 10, 0), 3, self::ACCEPTED, "a\nb\nc"),
            new Source('node', 'orders'),
            new SystemClock,
            'It may have been delivered.',
        );
    }

    /** @param int<0, 2> $index */
    private function id(int $index): string
    {
        return (new Source('node', 'orders'))->idOf(new Position(7, 9, $index), self::ACCEPTED);
    }
}
