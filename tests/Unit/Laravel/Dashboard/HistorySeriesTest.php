<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Laravel\Dashboard;

use Headroom\Laravel\Http\Dashboard\History\HistorySeries;
use Headroom\Spool\History\HistoryMinute;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class HistorySeriesTest extends TestCase
{
    #[Test]
    public function a_minute_has_the_difference_of_the_totals(): void
    {
        $series = self::of([
            new HistoryMinute(
                100,
                accepted: 10,
                delivered: 8,
                dead: 0,
                dropped: 1,
                pending: 2,
                oldestMilliseconds: 1_500,
            ),
            new HistoryMinute(101, accepted: 16, delivered: 16, dead: 1, dropped: 1, pending: 0),
        ], 100, 103);

        self::assertSame([6.0, null, null], $series['accepted']);
        self::assertSame([8.0, null, null], $series['delivered']);
        self::assertSame([1.0, null, null], $series['dead']);
        self::assertSame([2, 0, null], $series['pending']);
        self::assertSame([1.5, null, null], $series['oldest_seconds']);
    }

    #[Test]
    public function events_of_minutes_without_a_flush_are_spread_and_deliveries_are_not(): void
    {
        $series = self::of([
            new HistoryMinute(90, accepted: 0, delivered: 0, dead: 0, dropped: 0),
            new HistoryMinute(100, accepted: 100, delivered: 50, dead: 0, dropped: 0),
        ], 98, 101);

        self::assertSame([10.0, 10.0, null], $series['accepted']);
        self::assertSame([null, 50.0, null], $series['delivered']);
    }

    #[Test]
    public function a_bucket_on_disk_has_its_deliveries_in_the_minute_of_their_batches(): void
    {
        $series = self::of([
            new HistoryMinute(100, accepted: 10, delivered: 0, dead: 0, dropped: 0, batches: 1, events: 10),
            new HistoryMinute(101, accepted: 30, delivered: 10, dead: 0, dropped: 0, batches: 2, events: 20),
            new HistoryMinute(102, batches: 1, events: 5),
        ], 100, 104, isAlone: true);

        self::assertSame([10.0, 20.0, 5.0, null], $series['delivered']);
    }

    #[Test]
    public function a_total_that_has_decreased_is_that_of_a_restored_disk(): void
    {
        $series = self::of([
            new HistoryMinute(100, accepted: 10, delivered: 10, dead: 0, dropped: 0),
            new HistoryMinute(101, accepted: 5, delivered: 5, dead: 0, dropped: 0),
            new HistoryMinute(102, accepted: 6, delivered: 6, dead: 0, dropped: 0),
        ], 100, 103);

        self::assertSame([null, 1.0, null], $series['accepted']);
    }

    #[Test]
    public function a_minute_that_was_not_observed_has_batches_and_no_totals(): void
    {
        $series = self::of([
            new HistoryMinute(100, accepted: 10, delivered: 0, dead: 0, dropped: 0),
            new HistoryMinute(
                101,
                flushes: 1,
                batches: 2,
                events: 5,
                largestBatch: 4,
                deliveryMicros: 3_000,
                slowestMicros: 2_000,
            ),
            new HistoryMinute(102, accepted: 12, delivered: 12, dead: 0, dropped: 0),
        ], 100, 103);

        self::assertSame([1.0, 1.0, null], $series['accepted']);
        self::assertSame([null, 12.0, null], $series['delivered']);
        self::assertSame([null, 2.5, null], $series['batch_size']);
        self::assertSame([null, 4, null], $series['largest_batch']);
        self::assertSame([null, 1.5, null], $series['delivery_ms']);
        self::assertSame([null, 2.0, null], array_map(
            static fn (int|float|null $value): ?float => $value === null ? null : (float) $value,
            $series['slowest_ms'],
        ));
        self::assertSame([0, 1, 0], $series['flushes']);
    }

    /** A worker flushes each 20 seconds, or the schedule in every third minute. */
    #[Test]
    #[TestWith([1, 20], 'worker')]
    #[TestWith([2, 60], 'each minute')]
    #[TestWith([3, 180], 'each third minute')]
    public function no_event_is_drawn_as_delivered_before_it_was_accepted(int $seed, int $interval): void
    {
        $random = new Randomizer(new Mt19937($seed));
        $accepted = $delivered = 0;
        $minutes = [];

        for ($second = $random->getInt(0, 9); $second < 3_600; $second += $interval) {
            $events = $accepted - $delivered;
            $minute = intdiv($second, 60);
            $minutes[$minute] ??= new HistoryMinute($minute, $accepted, $accepted, 0, 0);
            $minutes[$minute] = $minutes[$minute]->plus(new HistoryMinute($minute, batches: 1, events: $events));
            $delivered = $accepted;
            $accepted += $random->getInt(0, 50);
        }

        foreach ([true, false] as $isAlone) {
            ['accepted' => $in, 'delivered' => $out] = self::of(array_values($minutes), 0, 60, $isAlone);
            $waiting = 0;

            foreach (array_filter($in, is_numeric(...)) as $minute => $events) {
                $waiting += $events - ($out[$minute] ?? 0);
                self::assertGreaterThan(-1, $waiting, "minute {$minute}");
            }
        }

        if ($interval <= 60) {
            $shared = self::of(array_values($minutes), 0, 60);
            self::assertSame($shared['accepted'], $shared['delivered']);
        }
    }

    #[Test]
    public function a_step_sums_flows_and_has_the_last_gauge(): void
    {
        $minutes = array_map(
            static fn (int $minute): HistoryMinute => new HistoryMinute(
                $minute,
                accepted: 10 * $minute,
                delivered: 0,
                dead: 0,
                dropped: 0,
                pending: $minute,
                flushes: 1,
                failed: $minute % 2,
            ),
            range(99, 110),
        );
        $series = HistorySeries::of(array_combine(range(99, 110), $minutes), 100, 110, false)->toArray(5);

        self::assertSame([50.0, 50.0], $series['accepted']);
        self::assertSame([104, 109], $series['pending']);
        self::assertSame([[5, 5], [2, 3]], [$series['flushes'], $series['failed']]);
    }

    /**
     * @param list<HistoryMinute> $minutes
     * @return array<string, list<int|float|null>>
     */
    private static function of(array $minutes, int $from, int $to, bool $isAlone = false): array
    {
        return HistorySeries::of(array_column($minutes, null, 'minute'), $from, $to, $isAlone)->toArray(1);
    }
}
