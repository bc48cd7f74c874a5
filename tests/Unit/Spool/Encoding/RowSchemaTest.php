<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Encoding;

use DateTimeImmutable;
use Headroom\Core\Rows;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Encoding\LineDecoder;
use Headroom\Spool\Encoding\RegexCache;
use Headroom\Spool\Encoding\RowSchema;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresSetting;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The limits of PCRE, which a shape of rows keeps to.
 */
final class RowSchemaTest extends TestCase
{
    #[Test]
    #[RequiresSetting('pcre.jit', '1')]
    public function without_pcres_compiler_there_is_no_shape(): void
    {
        $rows = Rows::of([['a' => 'x']]);
        self::assertNotNull(RowSchema::of($rows));
        $jit = (string) ini_set('pcre.jit', '0');

        try {
            self::assertNull(RowSchema::of($rows));
        } finally {
            ini_set('pcre.jit', $jit);
        }
    }

    /** @return iterable<string, array{mixed}> */
    public static function kinds(): iterable
    {
        yield from [
            'text' => ['x'],
            'integer' => [1],
            'float' => [1.5],
            'boolean' => [true],
            'json' => [[1]],
            'date' => [new DateTimeImmutable('2025-03-01 UTC')],
        ];
    }

    #[Test]
    #[RequiresSetting('pcre.jit', '1')]
    #[DataProvider('kinds')]
    public function a_shape_is_never_too_wide_for_pcre(mixed $value): void
    {
        $codec = new Codec;
        $ignored = 0;
        [$row, $widest] = [[], null];

        // PCRE would warn, which is an exception in an application, and stop the bucket forever.
        for ($column = 0; $column < 1_500; $column++) {
            $row['c'.base_convert((string) $column, 10, 36)] = $value;
            $rows = $column % 10 === 0 ? $codec->decodeRows([$codec->encode($row)], $ignored) : null;
            $shape = $rows === null ? null : RowSchema::of($rows);
            $widest = $shape === null ? $widest : [$shape, $codec->encode($row), $column];
        }

        self::assertNotNull($widest);
        self::assertGreaterThan(150, $widest[2]);
        self::assertLessThan(1_000, $widest[2]);
        self::assertNotNull($widest[0]->read($widest[1], 1));
    }

    #[Test]
    #[RequiresSetting('pcre.jit', '1')]
    public function a_name_is_never_too_long_for_pcre(): void
    {
        self::assertNull(RowSchema::of(Rows::of([[str_repeat('n', 100_000) => 'x']])));
        self::assertNotNull(RowSchema::of(Rows::of([[str_repeat('n', 16_000) => 'x']]))?->read(
            '{"'.str_repeat('n', 16_000).'":"x"}',
            1,
        ));
    }

    #[Test]
    #[RequiresSetting('pcre.jit', '1')]
    public function shapes_without_end_are_not_all_compiled(): void
    {
        [$codec, $budget, $ignored] = [new Codec, new RegexCache, 0];
        $decoder = new LineDecoder($codec, $budget);

        for ($round = 0; $round < 2_000; $round++) {
            self::assertNotNull($decoder->rows(
                array_fill(
                    0,
                    2,
                    $codec->encode([
                        "made up {$round}" => 'x',
                        'of several columns' => 1,
                        'and more' => null,
                        'than one' => true,
                        'or two' => 1.5,
                    ]),
                ),
                $ignored,
            ));
        }

        self::assertFalse($budget->admits(str_repeat('x', 1_000)));
    }
}
