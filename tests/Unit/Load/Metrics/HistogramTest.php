<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Metrics;

use Headroom\Load\Metrics\Histogram;
use Headroom\Load\Metrics\InvalidPercentile;
use LogicException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class HistogramTest extends TestCase
{
    private const PERCENTS = [0.0, 1.0, 10.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 100.0];

    /** @return iterable<string, array{int}> */
    public static function seeds(): iterable
    {
        foreach (range(1, 6) as $seed) {
            yield "seed {$seed}" => [$seed];
        }
    }

    #[Test]
    #[DataProvider('seeds')]
    public function percentiles_are_within_half_a_thousandth_of_the_exact_ones(int $seed): void
    {
        $values = self::values($seed);
        $histogram = self::of($values);
        sort($values);

        foreach (self::PERCENTS as $percent) {
            $exact = self::exact($values, $percent);
            self::assertEqualsWithDelta($exact, $histogram->percentile($percent), 0.000_5 * $exact, "p{$percent}");
        }
    }

    #[Test]
    #[DataProvider('seeds')]
    public function count_minimum_maximum_and_mean_are_exact(int $seed): void
    {
        $values = self::values($seed);
        $histogram = self::of($values);

        self::assertSame(count($values), $histogram->count());
        self::assertSame(min(PHP_INT_MAX, ...$values), $histogram->min());
        self::assertSame(max(0, ...$values), $histogram->max());
        self::assertSame(array_sum($values) / count($values), $histogram->mean());
    }

    #[Test]
    #[DataProvider('seeds')]
    public function a_merged_histogram_is_that_of_all_values(int $seed): void
    {
        [$some, $others] = [self::values($seed), self::values($seed + 1_000)];
        $first = self::of($some);
        $merged = $first->with(self::of($others));

        self::assertEquals(self::of([...$some, ...$others]), $merged);
        self::assertEquals(self::of($some), $first);
    }

    #[Test]
    public function merging_with_an_empty_one_changes_nothing(): void
    {
        $histogram = self::of([5, 7]);

        self::assertEquals($histogram, $histogram->with(new Histogram));
        self::assertEquals($histogram, (new Histogram)->with($histogram));
    }

    #[Test]
    public function an_empty_one_has_no_figures(): void
    {
        $histogram = new Histogram;

        self::assertSame(0, $histogram->count());
        self::assertNull($histogram->min());
        self::assertNull($histogram->max());
        self::assertNull($histogram->mean());
        self::assertNull($histogram->percentile(50));
        self::assertSame(
            [
                'count' => 0,
                'min' => null,
                'mean' => null,
                'p50' => null,
                'p90' => null,
                'p95' => null,
                'p99' => null,
                'p99_9' => null,
                'max' => null,
            ],
            $histogram->toArray(),
        );
    }

    /** @return iterable<string, array{int}> */
    public static function edges(): iterable
    {
        foreach ([0, 1, 1_023, 1_024, 2_047, 2_048, 2_049, 4_095, 4_096, 8_000_000, 2 ** 32 - 1] as $value) {
            yield (string) $value => [$value];
        }
    }

    #[Test]
    #[DataProvider('edges')]
    public function a_single_value_is_every_percentile(int $value): void
    {
        $histogram = self::of([$value, $value]);

        foreach (self::PERCENTS as $percent) {
            self::assertSame($value, $histogram->percentile($percent));
        }
    }

    #[Test]
    #[DataProvider('edges')]
    public function a_value_among_others_is_within_half_a_thousandth(int $value): void
    {
        $histogram = self::of([0, $value, 2 ** 40]);

        self::assertEqualsWithDelta($value, $histogram->percentile(50), 0.000_5 * $value);
    }

    #[Test]
    public function values_below_2048_microseconds_are_exact(): void
    {
        $histogram = self::of(range(0, 2_047));

        foreach (range(0, 2_047) as $value) {
            self::assertSame($value, $histogram->percentile(100 * ($value + 1) / 2_048));
        }
    }

    #[Test]
    public function values_beyond_the_range_keep_maximum_and_mean_exact(): void
    {
        $histogram = self::of([2 ** 40, 2 ** 41]);

        self::assertSame(2 ** 41, $histogram->max());
        self::assertSame(2 ** 40, $histogram->min());
        self::assertSame(1.5 * 2 ** 40, $histogram->mean());
        self::assertSame(2 ** 40, $histogram->percentile(50));
    }

    #[Test]
    public function a_negative_value_counts_as_zero(): void
    {
        self::assertEquals(self::of([0]), self::of([-5]));
    }

    #[Test]
    public function a_rank_is_not_raised_by_the_last_bit_of_a_float(): void
    {
        $histogram = self::of(range(1, 1_000));

        self::assertSame(999, $histogram->percentile(99.9));
        self::assertSame(990, $histogram->percentile(99));
        self::assertSame(1, $histogram->percentile(0.1));
        self::assertSame(2, $histogram->percentile(0.11));
    }

    /** @return iterable<string, array{float}> */
    public static function impossiblePercents(): iterable
    {
        yield 'below' => [-0.1];
        yield 'above' => [100.1];
        yield 'not a number' => [NAN];
    }

    #[Test]
    #[DataProvider('impossiblePercents')]
    public function a_percentile_out_of_range_is_refused(float $percent): void
    {
        $this->expectExceptionObject(InvalidPercentile::outOfRange($percent));

        self::of([1])->percentile($percent);
    }

    #[Test]
    #[DataProvider('seeds')]
    public function a_coarse_one_knows_its_values_within_eight_thousandths(int $seed): void
    {
        $values = self::values($seed);
        $histogram = Histogram::coarse();
        array_map($histogram->record(...), $values);
        sort($values);

        foreach (self::PERCENTS as $percent) {
            $exact = self::exact($values, $percent);
            self::assertEqualsWithDelta($exact, $histogram->percentile($percent), 0.008 * $exact, "p{$percent}");
        }
    }

    #[Test]
    public function a_coarse_one_is_merged_with_a_coarse_one_only(): void
    {
        $this->expectException(LogicException::class);

        (new Histogram)->merge(Histogram::coarse());
    }

    /** @return list<int> over six orders of magnitude, as response times are */
    private static function values(int $seed): array
    {
        $random = new Randomizer(new Mt19937($seed));
        $values = [];

        for ($i = 0; $i < 2_000 + $seed; $i++) {
            $values[] = (int) (10 ** ($random->getInt(0, 7_000_000) / 1_000_000));
        }

        return $values;
    }

    /** @param iterable<int> $values */
    private static function of(iterable $values): Histogram
    {
        $histogram = new Histogram;

        foreach ($values as $value) {
            $histogram->record($value);
        }

        return $histogram;
    }

    /** @param list<int> $sorted */
    private static function exact(array $sorted, float $percent): int
    {
        // Counted from the values themselves: the first that enough of them do not exceed.
        foreach ($sorted as $i => $value) {
            if (($i + 1) * 100 >= $percent * count($sorted) - 1e-6) {
                return $value;
            }
        }

        self::fail('No value is large enough.');
    }
}
