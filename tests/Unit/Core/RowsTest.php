<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Core;

use Headroom\Core\Date;
use Headroom\Core\Dates;
use Headroom\Core\Rows;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RowsTest extends TestCase
{
    #[Test]
    public function rows_are_columns_when_all_have_the_same_ones(): void
    {
        self::assertSame(
            ['a' => [1, null], 'b' => ['x', 'y']],
            Rows::of([['a' => 1, 'b' => 'x'], ['b' => 'y', 'a' => null]])->columns(),
        );

        foreach ([
            [],
            [['a' => 1], ['b' => 1]],
            [['a' => 1], ['a' => 1, 'b' => 1]],
            [['a' => 1, 'b' => 1], ['a' => 1]],
            [['a' => 1, 'b' => 1], ['a' => 1, 'c' => 1]],
        ] as $rows) {
            self::assertNull(Rows::of($rows)->columns());
            self::assertSame($rows, Rows::of($rows)->all());
            self::assertCount(count($rows), Rows::of($rows));
        }
    }

    #[Test]
    public function columns_are_rows_with_their_dates(): void
    {
        $rows = Rows::ofColumns([
            'n' => [1, 2, 3],
            'at' => self::dates('2025-03-01', '2024-02-29', '2025-03-03'),
            'b' => [null, 'x', true],
        ]);

        self::assertCount(3, $rows);
        self::assertEquals([
            ['n' => 1, 'at' => Date::parse('2025-03-01T00:00:00.000000+00:00'), 'b' => null],
            ['n' => 2, 'at' => Date::parse('2024-02-29T00:00:00.000000+00:00'), 'b' => 'x'],
            ['n' => 3, 'at' => Date::parse('2025-03-03T00:00:00.000000+00:00'), 'b' => true],
        ], $rows->all());
        self::assertSame(['n', 'at', 'b'], array_keys($rows->all()[0]));
    }

    #[Test]
    public function a_slice_is_the_same_from_either_form(): void
    {
        $columns = Rows::ofColumns(['n' => [1, 2, 3], 'at' => self::dates('2025-03-01', '2025-03-02', '2025-03-03')]);
        $rows = Rows::of($columns->all());

        self::assertNull($rows->slice(3, 1)->columns());
        self::assertNull($columns->slice(3, 1)->columns());

        foreach ([[0, 3], [0, 1], [1, 1], [1, 9], [2, 1]] as [$from, $length]) {
            self::assertEquals($rows->slice($from, $length)->all(), $columns->slice($from, $length)->all());
            self::assertCount(count($rows->slice($from, $length)), $columns->slice($from, $length));
        }
    }

    #[Test]
    public function parts_are_joined_when_they_have_the_same_columns_in_the_same_order(): void
    {
        $first = Rows::ofColumns(['n' => [1], 'at' => self::dates('2025-03-01')]);
        $second = Rows::ofColumns(['n' => [2, 3], 'at' => self::dates('2025-03-02', '2025-03-03')]);
        $mixed = Rows::ofColumns(['n' => [4], 'at' => [null]]);

        self::assertInstanceOf(Dates::class, (Rows::join([$first, $second])?->columns() ?? [])['at'] ?? null);
        self::assertEquals([...$first->all(), ...$second->all()], Rows::join([$first, $second])?->all());
        self::assertEquals(
            [...$first->all(), ...$mixed->all(), ...$second->all()],
            Rows::join([$first, $mixed, $second])?->all(),
        );
        self::assertNull(Rows::join([$first, Rows::ofColumns(['at' => [null], 'n' => [4]])]));
        self::assertNull(Rows::join([$first, Rows::ofColumns(['n' => [4]])]));
    }

    private static function dates(string ...$days): Dates
    {
        $dates = Dates::parse(array_map(
            static fn (string $day): string => "{$day}T00:00:00.000000+00:00",
            array_values($days),
        ));
        self::assertNotNull($dates);

        return $dates;
    }
}
