<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use Headroom\Benchmarks\Chart\Axis;
use Headroom\Benchmarks\Chart\InvalidChart;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class AxisTest extends TestCase
{
    /**
     * @param list<float> $values
     * @param list<float> $ticks
     */
    #[Test]
    #[TestWith([[], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]])]
    #[TestWith([[0.0], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]])]
    #[TestWith([[0.3], [0.0, 0.1, 0.2, 0.3]])]
    #[TestWith([[1000.0, 3.0], [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]])]
    #[TestWith([[1001.0], [0.0, 500.0, 1000.0, 1500.0]])]
    public function a_linear_axis_goes_from_0_to_a_round_number(array $values, array $ticks): void
    {
        $axis = Axis::linear($values);

        self::assertSame($ticks, $axis->ticks);
        self::assertSame([0.0, 1.0], [$axis->position(0.0), round($axis->position($ticks[count($ticks) - 1]), 9)]);
    }

    /**
     * @param list<float> $values
     * @param list<float> $ticks
     */
    #[Test]
    #[TestWith([[], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]])]
    #[TestWith([[-12.0, -3.0], [-15.0, -10.0, -5.0, 0.0]])]
    #[TestWith([[-23.0, 4.0], [-30.0, -20.0, -10.0, 0.0, 10.0]])]
    #[TestWith([[2.0], [0.0, 0.5, 1.0, 1.5, 2.0]])]
    public function an_axis_around_0_goes_from_a_round_number_to_a_round_number(array $values, array $ticks): void
    {
        $axis = Axis::around($values);

        self::assertEquals($ticks, $axis->ticks);
        self::assertEqualsWithDelta([0.0, 1.0], [$axis->position($ticks[0]), $axis->position($ticks[count($ticks) - 1])], 1e-9);
        self::assertThat($axis->position(0.0), self::logicalAnd(self::greaterThanOrEqual(0.0), self::lessThanOrEqual(1.0)));
    }

    #[Test]
    public function what_is_no_finite_number_is_on_no_axis_around_0(): void
    {
        foreach ([static fn (): Axis => Axis::around([-1.0, INF]), static fn (): float => Axis::around([-1.0])->position(NAN)] as $use) {
            try {
                $use();
                self::fail('It was taken.');
            } catch (InvalidChart $refused) {
                self::assertStringStartsWith('A chart can not show ', $refused->getMessage());
            }
        }
    }

    #[Test]
    public function no_value_is_above_the_axis(): void
    {
        for ($value = 0.0007; $value < 10_000_000; $value *= 1.037) {
            foreach ([Axis::linear([$value]), Axis::fitting([0.0005 / 101, $value])] as $axis) {
                self::assertThat($axis->position($value), self::logicalAnd(self::greaterThan(0.39), self::lessThanOrEqual(1.0 + 1e-9)), "{$value}");
                self::assertLessThanOrEqual(14, count($axis->ticks));
            }
        }
    }

    #[Test]
    public function values_that_differ_by_more_than_a_hundred_times_are_on_a_logarithmic_axis(): void
    {
        self::assertFalse(Axis::fitting([0.0, 1.0, 100.0])->isLogarithmic);
        $axis = Axis::fitting([0.0, 2.0, 201.0]);

        self::assertTrue($axis->isLogarithmic);
        self::assertSame([1.0, 10.0, 100.0, 1000.0], $axis->ticks);
        self::assertEqualsWithDelta([0.0, 0.0, 1 / 3, 1.0], array_map($axis->position(...), [0.0, 1.0, 10.0, 1000.0]), 1e-9);
    }

    #[Test]
    public function time_ends_where_it_ends(): void
    {
        $axis = Axis::upTo(72.0);

        self::assertSame([[0.0, 20.0, 40.0, 60.0], 1.0], [$axis->ticks, $axis->position(72.0)]);
    }

    #[Test]
    #[DataProvider('values')]
    public function what_is_no_number_from_0_on_is_refused(float $value): void
    {
        foreach ([Axis::linear(...), Axis::fitting(...), static fn (array $values): Axis => Axis::upTo($value), static fn (array $values): float => Axis::linear([1.0])->position($value)] as $use) {
            try {
                $use([1.0, $value]);
                self::fail("{$value} was taken.");
            } catch (InvalidChart $refused) {
                self::assertStringStartsWith('A chart can not show ', $refused->getMessage());
            }
        }
    }

    /** @return iterable<string, array{float}> */
    public static function values(): iterable
    {
        yield 'not a number' => [NAN];
        yield 'infinite' => [INF];
        yield 'below 0' => [-1.0];
    }
}
