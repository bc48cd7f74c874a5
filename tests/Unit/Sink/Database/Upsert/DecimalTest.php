<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink\Database\Upsert;

use Headroom\Sink\Database\Upsert\Decimal;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class DecimalTest extends TestCase
{
    #[Test]
    #[DataProvider('values')]
    public function a_value_is_read_as_its_author_wrote_it(mixed $value, int|string|null $number): void
    {
        self::assertSame($number, Decimal::of($value));
    }

    /** @return list<array{mixed, int|string|null}> */
    public static function values(): array
    {
        return [
            [7, 7], [true, 1], [false, 0], ['007', 7], ['-5', -5], ['+5', '5'], [0.1, '0.1'], [-1.5, '-1.5'],
            [1e25, '10000000000000000000000000'], [1.5e-7, '0.00000015'], [2.0, 2],
            ['1.50', '1.50'], ['-0.0', '0.0'], ['00.5', '0.5'], ['9223372036854775808', '9223372036854775808'],
            ['1e3', '1000'], ['12.5E-1', '1.25'], ['1.25e1', '12.5'],
            ['', null], ['.', null], ['1.', null], ['1 ', null], ["1\n", null], ['0x1F', null], ['1,5', null],
            ['NAN', null], [null, null], [[], null], [str_repeat('9', 401), null],
        ];
    }

    #[Test]
    #[DataProvider('sums')]
    public function two_numbers_add_up_to_the_last_digit(string $a, string $b, int|string $sum): void
    {
        self::assertSame($sum, Decimal::sum($a, $b));
        self::assertSame($sum, Decimal::sum($b, $a));
    }

    /** @return list<array{string, string, int|string}> */
    public static function sums(): array
    {
        return [
            [
                '1', '2', 3,
            ], ['0.1', '0.2', '0.3'], ['0.1', '-0.1', '0.0'], ['1', '-0.0001', '0.9999'], ['-1', '0.0001', '-0.9999'],
            ['999999999', '1', 1_000_000_000], ['1000000000', '-1', 999_999_999], ['-1000000000', '1', -999_999_999],
            ['9223372036854775807', '1', '9223372036854775808'],
            ['-9223372036854775808', '-9223372036854775808', '-18446744073709551616'],
            ['123456789012345678901234567890.123456789', '-123456789012345678901234567890.023456789', '0.100000000'],
            ['999999999999999999999.99', '0.01', '1000000000000000000000.00'],
            ['1000000000000000000000', '-999999999999999999999', 1], ['0', '0', 0],
        ];
    }

    #[Test]
    public function many_sums_agree_with_those_of_integers(): void
    {
        mt_srand(7);

        for ($n = 0; $n < 2000; $n++) {
            [$a, $b] = [mt_rand(-10 ** 12, 10 ** 12) >> mt_rand(0, 30), mt_rand(-10 ** 12, 10 ** 12) >> mt_rand(0, 30)];
            self::assertSame($a + $b, Decimal::sum((string) $a, (string) $b));
        }
    }
}
