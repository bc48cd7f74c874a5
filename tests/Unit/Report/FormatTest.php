<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Report;

use Headroom\Report\Format;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class FormatTest extends TestCase
{
    #[Test]
    public function rates_have_three_digits_and_never_lose_one_before_the_point(): void
    {
        self::assertSame(
            ['0/s', '0.012/s', '1.00/s', '9.99/s', '10.0/s', '99.9/s', '100/s', '68,313/s', '1,234,568/s'],
            array_map(Format::rate(...), [0.0, 0.0123, 0.9996, 9.994, 9.996, 99.94, 99.96, 68_313.45, 1_234_567.8]),
        );
    }

    #[Test]
    public function a_rate_that_is_hardly_one_is_not_called_nothing(): void
    {
        self::assertSame(
            ['< 0.001/s', '< 0.001/s', '0.001/s', '0/s'],
            array_map(Format::rate(...), [0.000_001, 0.000_499, 0.000_5, 0.0]),
        );
    }

    #[Test]
    public function milliseconds_come_from_microseconds(): void
    {
        self::assertSame(
            ['-', '0', '0.014', '1.50', '12.3', '8,000'],
            array_map(Format::millis(...), [null, 0, 14, 1_499.6, 12_345, 8_000_123]),
        );
    }

    #[Test]
    public function a_share_says_all_and_none_only_when_it_is_so(): void
    {
        self::assertSame(
            ['0 %', '< 0.1 %', '0.1 %', '50.0 %', '99.9 %', '> 99.9 %', '100 %', '187 %'],
            array_map(Format::share(...), [0.0, 0.0009, 0.001, 0.5, 0.999, 0.99999, 1.0, 1.87]),
        );
    }

    #[Test]
    public function bytes_take_the_unit_that_fits(): void
    {
        self::assertSame(
            ['0 B', '999 B', '1.00 kB', '1.50 kB', '1.00 MB', '7.25 MB', '3.00 TB', '5,000 TB'],
            array_map(Format::bytes(...), [0, 999, 1_000, 1_500, 999_600, 7_249_200, 3 * 10 ** 12, 5 * 10 ** 15]),
        );
    }

    #[Test]
    public function counts_and_seconds_are_readable(): void
    {
        self::assertSame(
            ['0', '1,234,567', '10.0 s', '0.250 s'],
            [Format::count(0), Format::count(1_234_567), Format::seconds(10.0), Format::seconds(0.25)],
        );
    }
}
