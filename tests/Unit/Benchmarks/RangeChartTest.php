<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use Headroom\Benchmarks\Chart\Axis;
use Headroom\Benchmarks\Chart\InvalidChart;
use Headroom\Benchmarks\Chart\Range;
use Headroom\Benchmarks\Chart\RangeChart;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RangeChartTest extends TestCase
{
    /** The axis goes from x = 92 to x = 378. */
    #[Test]
    public function a_row_reaches_from_quartile_to_quartile_around_its_median(): void
    {
        $drawn = self::drawn([new Range('one', [-10.0, -5.0, 0.0], 'seen')], 0.0);

        self::assertStringContainsString('class="line" d="M92.0 14.0v8M92.0 18.0H235.0M235.0 14.0v8"', $drawn);
        self::assertStringContainsString('class="marker" d="M160.5 18.0a', $drawn);
        self::assertStringContainsString('<title>one: seen</title>', $drawn);
        self::assertStringContainsString('class="grid zero" d="M235.0 6V30"', $drawn);
        self::assertStringNotContainsString('second', $drawn);
    }

    #[Test]
    public function what_is_no_result_is_hollow_and_what_has_no_value_is_words(): void
    {
        $drawn = self::drawn([new Range('one', [-1.0, 0.0, 1.0], '', isHollow: true), new Range('two', null, 'another answer')], 0.0);

        self::assertSame([1, 1], [substr_count($drawn, 'series x second'), substr_count($drawn, 'class="marker"')]);
        self::assertStringContainsString('>another answer</text>', $drawn);
    }

    #[Test]
    public function the_floor_ends_where_the_chart_does(): void
    {
        self::assertStringContainsString('class="floor" x="206.4" y="6" width="57.2"', self::drawn([], 2.0));
        self::assertStringContainsString('class="floor" x="92.0" y="6" width="286.0"', self::drawn([], 50.0));
    }

    #[Test]
    public function a_value_that_is_none_is_refused(): void
    {
        $this->expectException(InvalidChart::class);
        self::drawn([new Range('one', [-1.0, NAN, 1.0], '')], 0.0);
    }

    /** @param list<Range> $ranges */
    private static function drawn(array $ranges, float $floor): string
    {
        return (string) (new RangeChart('id', 'title', 'words', $ranges, Axis::around([-10.0, 10.0]), $floor, static fn (float $value): string => (string) $value))->draw();
    }
}
