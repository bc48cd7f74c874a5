<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Directives;

use Headroom\Doctor\Nginx\Directives\Units;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class UnitsTest extends TestCase
{
    #[Test]
    #[DataProvider('times')]
    public function times_are_read_as_nginx_reads_them(string $text, ?int $milliseconds): void
    {
        self::assertSame($milliseconds, Units::milliseconds($text));
    }

    /** @return iterable<string, array{string, ?int}> */
    public static function times(): iterable
    {
        $times = [
            '0' => 0, '60' => 60_000, '60s' => 60_000, '500ms' => 500, '1m' => 60_000, '1h 30m' => 5_400_000,
            '1h30m' => 5_400_000, '2d' => 172_800_000,
            '1w' => 604_800_000, '1M' => 2_592_000_000, '1y' => 31_536_000_000, '1s 5ms' => 1005, '1h 30' => 3_630_000,
            '1h30' => 3_630_000, '1y 1M 1w 1d 1h 1m 1s' => 34_822_861_000,
            '' => null, 's' => null, '-1' => null, '1x' => null, '30m 1h' => null, '1h 1h' => null, '1.5h' => null,
            '$t' => null, '1 h' => null, '1H' => null,
            '9999999999999999' => null, '999999999999999y' => null,
        ];

        foreach ($times as $text => $milliseconds) {
            yield "'{$text}'" => [(string) $text, $milliseconds];
        }
    }

    #[Test]
    #[DataProvider('sizes')]
    public function sizes_are_read_as_nginx_reads_them(string $text, ?int $bytes): void
    {
        self::assertSame($bytes, Units::bytes($text));
    }

    /** @return iterable<string, array{string, ?int}> */
    public static function sizes(): iterable
    {
        $sizes = [
            '0' => 0, '4096' => 4096, '4k' => 4096, '4K' => 4096, '1m' => 1_048_576, '1M' => 1_048_576,
            '2g' => 2_147_483_648, '2G' => 2_147_483_648,
            '' => null, 'k' => null, '-1' => null, '1kb' => null, '1 k' => null, '1.5m' => null, "1k\n" => null,
            '$a' => null, '999999999999999999g' => null,
        ];

        foreach ($sizes as $text => $bytes) {
            yield "'{$text}'" => [(string) $text, $bytes];
        }
    }

    #[Test]
    public function numbers_are_digits(): void
    {
        self::assertSame([0, 1024, null, null, null], array_map(Units::number(...), ['0', '1024', 'auto', '', '-1']));
    }
}
