<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Report;

use Headroom\Report\TextTable;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Helper\Helper;

final class TextTableTest extends TestCase
{
    #[Test]
    public function text_stands_left_and_numbers_right(): void
    {
        self::assertSame(
            [
                'name    count  share',
                'short       1',
                'longer    200   50 %',
            ],
            TextTable::of(['name', 'count', 'share'])
                ->with('short', '1')
                ->with('longer', '200', '50 %', 'no heading')
                ->lines(),
        );
    }

    #[Test]
    public function wide_characters_take_their_place(): void
    {
        self::assertSame([
            'name  n',
            '日本  1',
            'é     2',
        ], TextTable::of(['name', 'n'])->with('日本', '1')->with('é', '2')->lines());
    }

    #[Test]
    public function the_first_column_is_cut_to_fit_80_columns(): void
    {
        $lines = TextTable::of(['what', 'count'])
            ->with(str_repeat('long ', 40), '1,234,567')
            ->with(str_repeat('日', 60), '1')
            ->lines();

        self::assertSame(80, Helper::width($lines[1]));
        self::assertStringEndsWith('…  1,234,567', $lines[1]);

        foreach ($lines as $line) {
            self::assertLessThanOrEqual(80, Helper::width($line));
        }

        self::assertStringEndsWith('          1', $lines[2]);
    }

    #[Test]
    public function control_characters_do_not_reach_the_terminal(): void
    {
        self::assertSame(['a     b', 'x y   1'], TextTable::of(['a', 'b'])->with("x\n\ty", "\e1")->lines());
    }

    #[Test]
    public function a_table_of_headings_alone_is_empty(): void
    {
        self::assertTrue(TextTable::of(['a'])->isEmpty());
        self::assertFalse(TextTable::of(['a'])->with('b')->isEmpty());
    }

    #[Test]
    public function a_cell_that_looks_like_a_style_is_text(): void
    {
        $names = ['<fg=red>red</>', 'App\\<closure>', '<error>', 'C:\\>', '</>', 'ends with \\'];

        foreach ($names as $name) {
            self::assertSame("{$name}  1", TextTable::of([$name, '1'])->lines()[0]);
        }
    }
}
