<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Delivery;

use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\Source;
use Headroom\Spool\Delivery\BatchReader;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Delivery\RejectedEvent;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\UnableToFlush;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class BatchReaderTest extends TestCase
{
    private const BROKEN = '{"n":';

    #[Test]
    public function every_event_is_in_one_batch_or_rejected_without_gaps(): void
    {
        $random = new Randomizer(new Mt19937($seed = random_int(0, PHP_INT_MAX)));

        for ($round = 0; $round < 400; $round++) {
            $log = self::log($random, $random->getInt(0, 2) === 0);
            $events = $log->events();
            $size = max(1, $random->getInt(1, 12));
            $dead = array_filter($events, static fn (): bool => $random->getInt(0, 9) === 0);
            $dead = $random->getInt(0, 1) === 0
                ? []
                : array_fill_keys(array_map(static fn (array $event): string => $event[0]->toString(), $dead), true);
            $skipped = $random->getInt(0, count($events) - 1);
            $from = $skipped === 0 ? Position::start() : $events[$skipped - 1][1];
            $events = array_slice($events, $skipped);
            $begun = $random->getInt(0, 2) === 0 ? $events[$random->getInt(0, count($events) - 1)][1] : null;
            $limit = $random->getInt(0, 2) === 0 ? max(1, $random->getInt(1, count($events) + 1)) : null;
            $report = new FlushReport('a');

            $items = iterator_to_array(
                (new BatchReader(
                    $log,
                    new Codec,
                    new Source('node', 'a'),
                    $report,
                    $from,
                    $size,
                    $dead,
                    $begun,
                    $limit,
                ))->read(),
                false,
            );

            self::check(
                $items,
                $events,
                $from,
                $size,
                $dead,
                $begun,
                $limit,
                $report->hasMore,
                "seed {$seed}, round {$round}",
            );
        }
    }

    #[Test]
    public function a_batch_ends_once_its_lines_are_four_mebibytes(): void
    {
        $line = '{"n":"'.str_repeat('x', 100_000 - 8).'"}';

        // With one line per entry, and with two.
        foreach ([[10, [$line]], [5, [$line, $line]]] as [$entries, $entry]) {
            $stretches = array_fill(0, 20, array_fill(0, $entries, $entry));
            $reader = new BatchReader(
                new ListedLog([$stretches], count($entry) * 100_000 + 50),
                new Codec,
                new Source('node', 'a'),
                new FlushReport('a'),
                Position::start(),
                1_000,
            );
            $counts = [];

            foreach ($reader->read() as $item) {
                $counts[] = $item instanceof Delivery ? count($item->batch) : 0;
            }

            self::assertSame([42, 42, 42, 42, 32], $counts);
        }
    }

    #[Test]
    public function each_line_is_taken_once_among_lines_that_cannot_be_read(): void
    {
        $lines = array_map(static fn (int $n): array => [$n % 3 === 0 ? '{"n":' : "{\"n\":{$n}}"], range(1, 1_000));
        $report = new FlushReport('a');

        $items = iterator_to_array(
            (new BatchReader(
                new ListedLog([[$lines]]),
                new Codec,
                new Source('node', 'a'),
                $report,
                Position::start(),
                1_000,
            ))->read(),
            false,
        );

        self::assertCount(
            333,
            array_filter($items, static fn (Delivery|RejectedEvent $item): bool => $item instanceof RejectedEvent),
        );
        self::assertCount(
            334,
            array_filter($items, static fn (Delivery|RejectedEvent $item): bool => $item instanceof Delivery),
        );
    }

    #[Test]
    public function a_frame_with_surplus_lines_never_makes_up_for_an_unreadable_one(): void
    {
        $lines = [...array_fill(0, 100, ['{"n":1}']), ["{\"n\":2}\n{\"n\":3}"], [self::BROKEN]];
        $reader = new BatchReader(
            new ListedLog([[$lines]]),
            new Codec,
            new Source('node', 'a'),
            new FlushReport('a'),
            Position::start(),
            1_000,
        );

        $this->expectException(UnableToFlush::class);
        $this->expectExceptionMessage('its frame says 1 event and holds more lines');
        iterator_to_array($reader->read(), false);
    }

    #[Test]
    public function ids_that_events_brought_stay_with_them_also_in_halves(): void
    {
        $lines = [['{"n":0}'], ['["one",{"n":1}]'], ['{"n":'], ['{"n":3}'], ['["four",{"n":4}]'], ['{"n":5}']];
        $ids = [];

        foreach ((new BatchReader(
            new ListedLog([[$lines]]),
            new Codec,
            new Source('node', 'a'),
            new FlushReport('a'),
            Position::start(),
            10,
        ))->read() as $item) {
            foreach ($item instanceof Delivery ? [$item, ...self::halves($item)] : [] as $part) {
                foreach ($part->batch as $record) {
                    $ids[] = [$record->values['n'], $record->ownId, $record->position->offset];
                }
            }
        }

        self::assertSame([
            [0, null, 0], [1, 'one', 100], [0, null, 0], [1, 'one', 100],
            [3, null, 300], [4, 'four', 400], [5, null, 500], [3, null, 300], [4, 'four', 400], [5, null, 500],
        ], $ids);
    }

    /** @param non-empty-list<Position> $places */
    private static function checkParts(Delivery $whole, array $places, string $message): void
    {
        $text = static fn (Delivery $single): string => implode(' ', array_map(
            static fn (Position $place): string => $place->toString(),
            [$single->from, $single->batch->record(0)->position, $single->to],
        ));
        $singles = array_map($text, $whole->singles());
        $slices = array_map(
            static fn (int $number): string => $text($whole->slice(0, $number + 1)->slice($number, 1)),
            array_keys($places),
        );
        $expected = [];

        foreach ($places as $number => $place) {
            $from = $number === 0 ? $whole->from : $whole->batch->end($number - 1);
            $expected[] = "{$from?->toString()} {$place->toString()} {$whole->batch->end($number)?->toString()}";
        }

        self::assertSame([$expected, $expected], [$singles, $slices], $message);
        self::assertTrue($whole->batch->end(count($places) - 1)?->equals($whole->to), $message);
    }

    /** @return list<Delivery> */
    private static function halves(Delivery $whole): array
    {
        $half = intdiv(count($whole->batch), 2);

        return $half < 1 ? [] : [$whole->slice(0, $half), $whole->slice($half, max(1, count($whole->batch) - $half))];
    }

    /**
     * @param list<Delivery|RejectedEvent> $items
     * @param list<array{Position, Position, string}> $events
     * @param array<string, true> $dead
     */
    private static function check(
        array $items,
        array $events,
        Position $from,
        int $size,
        array $dead,
        ?Position $begun,
        ?int $limit,
        bool $more,
        string $message,
    ): void {
        $seen = 0;
        $cursor = $from;
        $hasBegun = $begun === null;

        foreach ($items as $item) {
            self::assertTrue($item->from->equals($cursor), $message);
            $places = $item instanceof RejectedEvent ? [$item->position] : [];

            foreach ($item instanceof Delivery ? $item->batch : [] as $record) {
                $places[] = $record->position;
                self::assertSame($events[$seen + count($places) - 1][2], json_encode($record->values), $message);
            }

            self::assertNotSame([], $places, $message);
            self::assertTrue(! $hasBegun || count($places) <= $size, $message);

            foreach ($places as $place) {
                [$expected, $behind, $line] = $events[$seen++];
                self::assertTrue($place->equals($expected), $message);
                self::assertSame(
                    $item instanceof RejectedEvent,
                    $line === self::BROKEN || isset($dead[$place->toString()]),
                    $message,
                );
                $cursor = $behind;
                $hasBegun = $hasBegun || ! $cursor->equals($begun ?? $cursor) ? $hasBegun : true;
            }

            if ($item instanceof Delivery) {
                self::checkParts($item, $places, $message);
            }

            $end = $item instanceof RejectedEvent ? $item->end : $item->to;
            self::assertTrue($end->equals($cursor), $message);
            // A range that was begun ends exactly at its recorded end.
            self::assertTrue(
                $begun === null || $item->from->compare($begun) >= 0 || $end->compare($begun) <= 0,
                $message,
            );
        }

        self::assertSame($more, $seen < count($events), $message);
        self::assertTrue($limit === null || $begun !== null || $seen === min($limit, count($events)), $message);
        self::assertTrue($limit !== null || $seen === count($events), $message);
    }

    private static function log(Randomizer $random, bool $hasBroken): ListedLog
    {
        $line = static function () use ($random, $hasBroken): string {
            return $hasBroken && $random->getInt(0, 7) === 0 ? self::BROKEN : '{"n":'.$random->getInt(0, 999).'}';
        };
        $segments = [];

        for ($segment = $random->getInt(1, 3); $segment > 0; $segment--) {
            $stretches = [];

            for ($stretch = $random->getInt(1, 3); $stretch > 0; $stretch--) {
                $mostLines = $random->getInt(0, 1) === 0 ? 1 : 4;
                $entries = [[$line()]];

                for ($entry = $random->getInt(0, 15); $entry > 0; $entry--) {
                    $lines = [$line()];

                    while (count($lines) < $random->getInt(1, $mostLines)) {
                        $lines[] = $line();
                    }

                    $entries[] = $lines;
                }

                $stretches[] = $entries;
            }

            $segments[] = $stretches;
        }

        return new ListedLog($segments);
    }
}
