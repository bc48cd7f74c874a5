<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use Headroom\Benchmarks\Chart\Axis;
use Headroom\Benchmarks\Chart\Band;
use Headroom\Benchmarks\Chart\InvalidChart;
use Headroom\Benchmarks\Chart\LineChart;
use Headroom\Benchmarks\Chart\Marker;
use Headroom\Benchmarks\Chart\Point;
use Headroom\Benchmarks\Chart\Series;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class LineChartTest extends TestCase
{
    #[Test]
    public function a_line_goes_through_its_points_and_has_a_mark_at_each(): void
    {
        $svg = self::chart([5 => 0.0, 15 => 10.0]);

        // 56 to 392 are the seconds from 0 to 20, 216 to 28 the values from 0 to 10.
        self::assertStringContainsString('d="M140.0 216.0L308.0 28.0"', $svg);
        self::assertSame(2, substr_count($svg, 'class="marker"'));
        self::assertStringContainsString('<title>at 15</title>', $svg);
    }

    #[Test]
    public function steps_are_bands_with_their_names(): void
    {
        $svg = self::chart([5 => 1.0]);

        self::assertStringContainsString('<rect class="band" x="56.0" y="28" width="168.0" height="188"></rect><text x="140.0" y="20.0" text-anchor="middle">100</text>', $svg);
        self::assertStringContainsString('<rect class="band other" x="224.0" y="28" width="168.0" height="188"></rect><text x="308.0" y="20.0" text-anchor="middle">1,000</text>', $svg);
    }

    #[Test]
    public function one_point_is_a_mark(): void
    {
        $svg = self::chart([5 => 1.0]);

        self::assertStringContainsString('class="line" d="M140.0 28.0"', $svg);
        self::assertSame(1, substr_count($svg, 'class="marker"'));
    }

    #[Test]
    public function a_point_without_a_value_is_a_gap(): void
    {
        $svg = self::chart([2 => 1.0, 4 => 1.0, 6 => null, 8 => 1.0]);

        self::assertMatchesRegularExpression('/d="M[\d. ]+L[\d. ]+M[\d. ]+"/', $svg);
        self::assertSame(3, substr_count($svg, 'class="marker"'));
    }

    #[Test]
    public function nothing_is_said_to_be_not_measured(): void
    {
        self::assertStringContainsString('>not measured</text>', self::chart([]));
        self::assertStringContainsString('>not measured</text>', self::chart([5 => null]));
        self::assertStringNotContainsString('not measured', self::chart([5 => 0.0]));
    }

    #[Test]
    public function a_flawed_point_is_a_cross(): void
    {
        $svg = (string) (new Series('a', 'a', Marker::Square, [new Point(1.0, 1.0, 'one', true)]))->draw(static fn (Point $point): array => [$point->x, 9.0]);

        self::assertSame([1, 0], [substr_count($svg, 'class="cross"'), substr_count($svg, 'class="marker"')]);
    }

    #[Test]
    public function what_comes_first_lies_on_top(): void
    {
        $svg = (string) self::of(new Series('above', 'x', Marker::Circle, [new Point(1.0, 1.0, '')]), new Series('below', 'a', Marker::Square, [new Point(1.0, 1.0, '')]))->draw();

        self::assertGreaterThan(strpos($svg, 'series a'), strpos($svg, 'series x'));
    }

    #[Test]
    public function a_value_that_is_no_number_is_refused(): void
    {
        $this->expectException(InvalidChart::class);
        $this->expectExceptionMessage('no finite number');
        self::of(new Series('x', 'x', Marker::Circle, [new Point(1.0, NAN, '')]))->draw();
    }

    #[Test]
    public function whatever_is_written_is_text(): void
    {
        $evil = '"><script>';
        $chart = new LineChart('id', $evil, $evil, $evil, [new Band(0.0, 1.0, $evil)], [new Series($evil, 'x', Marker::Circle, [new Point(0.5, 1.0, $evil)])], Axis::linear([1.0]), static fn (float $value): string => $evil);

        self::assertStringNotContainsString('<script', $chart->draw().$chart->legend());
        self::assertStringContainsString('&quot;&gt;&lt;script&gt;', $chart->draw().$chart->legend());
    }

    /** @param array<int, ?float> $points value by second */
    private static function chart(array $points): string
    {
        return (string) self::of(new Series('one', 'x', Marker::Circle, array_map(static fn (int $x, ?float $y): Point => new Point((float) $x, $y, "at {$x}"), array_keys($points), $points)))->draw();
    }

    private static function of(Series ...$series): LineChart
    {
        $values = array_filter(array_merge(...array_map(static fn (Series $one): array => $one->values(), array_values($series))), is_finite(...));

        return new LineChart('id', 'Requests/s', 'words', 'users', [new Band(0.0, 10.0, '100'), new Band(10.0, 20.0, '1,000')], array_values($series), Axis::linear(array_values($values)), strval(...));
    }
}
