<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Support;

use Headroom\Support\MetricsText;
use Headroom\Tests\Support\ExpositionReader;
use Headroom\Tests\Support\Promtool;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class MetricsTextTest extends TestCase
{
    private const METRICS = ['headroom_a' => ['gauge', 'Text.'], 'headroom_b_total' => ['counter', 'Text.']];

    private const PIECES = [
        '\\', '"', "\n", "\r", "\t", "\0", '{', '}', ',', '=', '#', ' ', "\x7F", "\x1B[31m", '\n', '\"', '\\\\', 'a',
        'é', '漢', "\u{1F600}", "\u{2028}", "\u{FEFF}", "\xFF", "\xC3", "\xED\xA0\x80", "\xF8\x88\x80\x80\x80",
        "\xE2\x82",
        'HELP', '} 1', "\nheadroom_b_total 9",
    ];

    #[Test]
    public function hostile_label_values_come_back_unchanged_or_with_replacement_characters(): void
    {
        $random = new Randomizer(new Mt19937(34));
        $values = [];

        for ($number = 0; $number < 500; $number++) {
            $value = '';

            for ($pieces = $random->getInt(0, 8); $pieces > 0; $pieces--) {
                $value .= self::PIECES[$random->getInt(0, count(self::PIECES) - 1)];
            }

            $values[] = $value.($number % 3 === 0 ? $random->getBytes(5) : '');
        }

        $series = [];
        $expected = [];

        foreach ($values as $number => $value) {
            $series[MetricsText::series('headroom_a', ['no' => (string) $number, 'of' => $value])] = $number;
            $expected[] = [(string) $number, self::readable($value)];
        }

        $text = MetricsText::of(self::METRICS, $series);
        $found = array_map(
            static fn (array $sample): array => [$sample[2], $sample[1]['of'] ?? null],
            ExpositionReader::samples($text),
        );
        sort($found);
        sort($expected);
        self::assertSame($expected, $found);
        self::assertSame([0, ''], Promtool::checkMetrics($text));
    }

    /** Valid text stays; NUL and each invalid sequence become U+FFFD. */
    private static function readable(string $value): string
    {
        $text = mb_check_encoding($value, 'UTF-8')
            ? $value
            : json_decode((string) json_encode($value, JSON_INVALID_UTF8_SUBSTITUTE), false, 2, JSON_THROW_ON_ERROR);
        self::assertIsString($text);

        return str_replace("\0", "\u{FFFD}", $text);
    }

    #[Test]
    public function numbers_are_written_without_an_exponent_or_a_locale(): void
    {
        $text = MetricsText::of(self::METRICS, [
            'headroom_a{a="1"}' => 1_795_880_212,
            'headroom_a{a="2"}' => 0.25,
            'headroom_a{a="3"}' => 1e15,
            'headroom_a{a="4"}' => -3,
            'headroom_a{a="5"}' => 0.0000001,
        ]);

        self::assertSame(
            ['1795880212', '0.25', '1000000000000000.0', '-3', '0.0'],
            array_column(ExpositionReader::samples($text), 2),
        );
    }

    #[Test]
    public function a_metric_without_help_or_values_is_left_out(): void
    {
        self::assertSame(
            "# HELP headroom_b_total Text.\n# TYPE headroom_b_total counter\nheadroom_b_total 1\n",
            MetricsText::of(self::METRICS, ['headroom_b_total' => 1, 'headroom_unknown{a="{"}' => 2]),
        );
    }

    #[Test]
    public function a_series_without_labels_has_no_braces(): void
    {
        self::assertSame('headroom_a', MetricsText::series('headroom_a', []));
    }
}
