<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Metrics;

use Headroom\Load\Failure;
use Headroom\Load\Metrics\Interval;
use Headroom\Load\Metrics\Metrics;
use Headroom\Load\Metrics\TimeSeries;
use Headroom\Load\Plan;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class TimeSeriesTest extends TestCase
{
    private const EIGHTH = 125_000_000;

    #[Test]
    public function a_time_belongs_to_the_slot_that_it_lies_in(): void
    {
        $timeline = new TimeSeries;

        foreach ([0, self::EIGHTH - 1, self::EIGHTH, 3 * self::EIGHTH + 1] as $nanos) {
            $timeline->advance($nanos, 0);
            $timeline->current()->sent++;
        }

        self::assertSame([2, 1, 0, 1], self::sent($timeline));
        self::assertSame(0.125, $timeline->width());
    }

    #[Test]
    public function a_quiet_time_has_intervals_that_count_the_requests_in_flight(): void
    {
        $timeline = new TimeSeries;
        $timeline->advance(4 * self::EIGHTH, 7);

        self::assertSame(
            [0, 7, 7, 7, 7],
            array_map(static fn (Interval $interval): int => $interval->inFlight, $timeline->intervals()),
        );
    }

    #[Test]
    public function neighbours_are_merged_when_there_are_too_many(): void
    {
        $timeline = new TimeSeries;

        for ($i = 0; $i < 256; $i++) {
            $timeline->advance($i * self::EIGHTH, 0);
            $timeline->current()->sent = $i;
        }

        self::assertCount(256, $timeline->intervals());
        $timeline->advance(256 * self::EIGHTH, 0);
        $timeline->current()->sent = 1_000;

        self::assertSame(0.25, $timeline->width());
        self::assertSame([1, 5, 9], array_slice(self::sent($timeline), 0, 3));
        self::assertSame([255 + 254, 1_000], array_slice(self::sent($timeline), 127));
    }

    #[Test]
    public function a_week_takes_no_more_slots_than_a_minute_and_loses_nothing(): void
    {
        $timeline = new TimeSeries;

        for ($minute = 0; $minute < 7 * 24 * 60; $minute++) {
            $timeline->advance($minute * 60 * 1_000_000_000, 0);
            $timeline->current()->sent++;
            $timeline->current()->failed('other');
            $timeline->current()->latency->record($minute);
        }

        self::assertLessThanOrEqual(256, count($timeline->intervals()));
        self::assertGreaterThan(128, count($timeline->intervals()));
        self::assertSame(7 * 24 * 60, array_sum(self::sent($timeline)));
        self::assertSame(
            7 * 24 * 60,
            array_sum(array_map(static fn (Interval $interval): int => $interval->errors(), $timeline->intervals())),
        );
        self::assertSame(
            7 * 24 * 60,
            array_sum(array_map(
                static fn (Interval $interval): int => $interval->latency->count(),
                $timeline->intervals(),
            )),
        );
    }

    #[Test]
    public function merged_intervals_keep_kinds_times_and_the_most_in_flight(): void
    {
        $a = new Interval(3);
        $b = new Interval(2);
        $a->failed('status_500');
        $b->failed('status_500');
        $b->failed('other');
        $a->succeeded = 4;
        $b->succeeded = 5;
        $a->latency->record(10);
        $b->latency->record(30);
        $a->append($b);

        self::assertSame(['status_500' => 2, 'other' => 1], $a->errors);
        self::assertSame([9, 3, 3], [$a->succeeded, $a->inFlight, $a->errors()]);
        self::assertSame([10, 30, 2], [$a->latency->min(), $a->latency->max(), $a->latency->count()]);
    }

    #[Test]
    public function events_are_counted_in_the_slot_of_now(): void
    {
        $tally = new Metrics(Plan::requests(1));
        $tally->started(1);
        $tally->started(2);
        $tally->advance(self::EIGHTH, 2);
        $tally->responded(200, 500);
        $tally->responded(503, 700);
        $tally->failed(Failure::Refused, 'refused', 3);
        $tally->failed(Failure::TimeoutWaiting, 'late', 9_000);
        [$first, $second] = $tally->timeline->intervals();

        self::assertSame([2, 0, 2, []], [$first->sent, $first->succeeded, $first->inFlight, $first->errors]);
        self::assertSame([0, 1, 2], [$second->sent, $second->succeeded, $second->inFlight]);
        self::assertSame(['status_503' => 1, 'connection_refused' => 1, 'timeout_waiting' => 1], $second->errors);
        // A refusal says nothing about response times; a timeout does.
        self::assertSame(3, $second->latency->count());
    }

    #[Test]
    public function json_says_when_each_slot_was_and_how_long(): void
    {
        $timeline = new TimeSeries;
        $timeline->advance(2 * self::EIGHTH, 0);
        $timeline->current()->latency->record(100);
        $slots = $timeline->toArray(0.3);

        self::assertSame(
            [[0.0, 0.125], [0.125, 0.125], [0.25, 0.05]],
            array_map(static fn (array $interval): array => [$interval['from_s'], $interval['seconds']], $slots),
        );
        self::assertSame(
            ['mean' => 100.0, 'p50' => 100, 'p90' => 100, 'p95' => 100, 'p99' => 100, 'max' => 100],
            $slots[2]['latency_us'],
        );
        self::assertSame(
            ['from_s', 'seconds', 'sent', 'succeeded', 'errors', 'in_flight', 'latency_us'],
            array_keys($slots[0]),
        );
    }

    /** @return list<int> */
    private static function sent(TimeSeries $timeline): array
    {
        return array_map(static fn (Interval $interval): int => $interval->sent, $timeline->intervals());
    }
}
