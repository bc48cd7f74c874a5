<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Encoding;

use DateTimeImmutable;
use DateTimeZone;
use Headroom\Core\Bytes;
use Headroom\Core\Date;
use Headroom\Core\Rows;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Encoding\LineDecoder;
use Headroom\Spool\Encoding\RegexCache;
use Headroom\Spool\Encoding\RowSchema;
use Headroom\Spool\Encoding\UnableToDecode;
use Headroom\Spool\Utf8;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresSetting;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class LineDecoderTest extends TestCase
{
    private const TEXTS = [
        '', 'x', '0', 'null', 'Grüße', "a\nb", '"', '\\', '\\"', '{', '}', '{"d":"', '[', '],[', "\u{10FFFF}", "\0",
        "\u{2028}", ' ', '1e3', 'ends with \\',
    ];

    /** @return iterable<string, array{list<array<string, mixed>>}> */
    public static function alike(): iterable
    {
        $at = new DateTimeImmutable('2025-03-01 12:00:00.5 UTC');
        $rows = [
            'text' => ['a' => 'x', 'b' => ''],
            'escapes' => ['a' => "a\tb\"c\\d/e", "key\n\"" => "\u{1}"],
            'text and null' => ['a' => null, 'b' => 'x'],
            'integers' => ['a' => 0, 'b' => -1, 'c' => 999_999_999_999_999_999, 'd' => null],
            'floats' => ['a' => 0.0, 'b' => -1.5, 'c' => 1.0e25, 'd' => 1.0e-7, 'e' => 1 / 3],
            'booleans' => ['a' => true, 'b' => false],
            'json' => ['a' => ['x' => ['y' => '"']], 'b' => []],
            'dates' => [
                'a' => $at,
                'b' => $at->setTimezone(new DateTimeZone('+05:45')),
                'c' => new DateTimeImmutable('2024-02-29 UTC'),
            ],
            'names' => ['(a|b)*+$/' => 2, 'ü' => 3, '{"d":"' => 4],
        ];

        foreach ($rows as $name => $row) {
            yield $name => [[$row, $row, $row]];
        }

        yield 'dates and null' => [[['a' => $at, 'b' => null], ['a' => null, 'b' => $at], ['a' => null, 'b' => null]]];
        yield 'null at first' => [[['a' => null, 'b' => 1], ['a' => 'x', 'b' => null], ['a' => null, 'b' => 2]]];
    }

    /** @param non-empty-list<array<string, mixed>> $rows */
    #[Test]
    #[RequiresSetting('pcre.jit', '1')]
    #[DataProvider('alike')]
    public function lines_that_are_alike_are_read_by_their_shape(array $rows): void
    {
        $codec = new Codec;
        $lines = array_map($codec->encode(...), $rows);
        $replaced = 0;
        $slowly = $codec->decodeRows($lines, $replaced);
        self::assertNotNull($slowly);

        $quickly = RowSchema::of($slowly)?->read(implode(" \n", $lines), count($lines));

        self::assertNotNull($quickly);
        self::assertSame(self::comparable($slowly), self::comparable($quickly));
        self::assertSame(self::expected($codec, $lines)[0], self::comparable($quickly));
    }

    #[Test]
    public function rows_are_decoded_together_as_one_by_one_after_any_other_rows(): void
    {
        $random = new Randomizer(new Mt19937($seed = random_int(0, PHP_INT_MAX)));
        $codec = new Codec;
        $together = 0;

        for ($round = 0; $round < 300; $round++) {
            $decoder = new LineDecoder($codec, new RegexCache);

            // The shape of the lines before is still remembered.
            for ($batch = 0; $batch < 3; $batch++) {
                $lines = self::lines($random, $codec);
                $together += self::agrees($decoder, $codec, $lines, "seed {$seed}, round {$round}") ? 1 : 0;
            }
        }

        self::assertGreaterThan(300, $together);
    }

    #[Test]
    public function a_line_that_json_would_not_take_is_never_read_by_a_shape(): void
    {
        $random = new Randomizer(new Mt19937($seed = random_int(0, PHP_INT_MAX)));
        $codec = new Codec;
        $refused = 0;

        for ($round = 0; $round < 3_000; $round++) {
            $decoder = new LineDecoder($codec, new RegexCache);
            $lines = self::lines($random, $codec);
            $ignored = 0;
            $decoder->rows($lines, $ignored);
            $number = $random->getInt(0, count($lines) - 1);
            $lines = [
                ...array_slice($lines, 0, $number),
                self::damaged($random, $lines[$number]),
                ...array_slice($lines, $number + 1),
            ];
            $refused += self::agrees($decoder, $codec, $lines, "seed {$seed}, round {$round}") ? 0 : 1;
        }

        self::assertGreaterThan(300, $refused);
    }

    /** @return iterable<string, array{string}> */
    public static function strange(): iterable
    {
        foreach ([
            'two rows' => '{"a":"x","n":1},{"a":"x","n":1}', 'nothing' => '', 'a list' => '["x",1]', 'a number' => '5',
            'an id' => '["id",{"a":"x","n":1}]',
            'another column' => '{"a":"x","n":1,"b":2}', 'one less' => '{"a":"x"}', 'no column' => '{}',
            'another order' => '{"n":1,"a":"x"}', 'a column twice' => '{"a":"x","a":"y","n":1}',
            'white space' => '{ "a": "x", "n": 1 }', 'a carriage return' => "x\r{\"a\":\"x\",\"n\":1}",
            'behind it' => '{"a":"x","n":1}x', 'a tab in a text' => "{\"a\":\"\t\",\"n\":1}",
            'no UTF-8' => "{\"a\":\"\xFF\",\"n\":1}", 'half a pair' => '{"a":"\ud800","n":1}',
            'an unknown escape' => '{"a":"\q","n":1}', 'a code' => '{"a":"\u00fc","n":1}',
            'a leading zero' => '{"a":"x","n":01}', 'minus zero' => '{"a":"x","n":-0}',
            'nineteen digits' => '{"a":"x","n":9223372036854775808}', 'a float' => '{"a":"x","n":1.0}',
            'a number as name' => '{"1":"x","n":1}', 'no name' => '{"":"x","n":1}', 'an empty tag' => '{"a":{},"n":1}',
            'an unknown tag' => '{"a":{"z":"x"},"n":1}', 'a list as value' => '{"a":["d"],"n":1}',
            'too deep' => '{"a":{"j":{"x":{"y":1}}},"n":1}',
            'a date that is none' => '{"a":{"d":"soon"},"n":1}', 'a date that is no text' => '{"a":{"d":[]},"n":1}',
            'a date behind another tag' => '{"a":{"j":"[]","d":"2025-03-01T12:00:00.000000+00:00"},"n":1}',
            'a date with more' => '{"a":{"d":"2025-03-01T12:00:00.000000+00:00","j":"x"},"n":1}',
        ] as $name => $line) {
            yield $name => [$line];
        }
    }

    #[Test]
    #[DataProvider('strange')]
    public function a_strange_line_among_others_is_decoded_as_it_is_alone(string $line): void
    {
        $codec = new Codec;
        $decoder = new LineDecoder($codec, new RegexCache);
        $good = '{"a":"x","n":1}';
        $ignored = 0;

        foreach ([[$line, $good], [$good, $line], [$line, $line], [$line]] as $lines) {
            self::assertNotNull($decoder->rows([$good, $good], $ignored));
            self::agrees($decoder, $codec, $lines, $line);
        }

    }

    /** @return iterable<string, array{non-empty-list<string>}> */
    public static function inPieces(): iterable
    {
        $two = '{"a":"x","n":1},{"a":"x","n":1}';

        yield 'nothing' => [[$two, '']];
        yield 'half a row' => [['{"a":"x"', '"n":1}', $two]];
        yield 'half a row, behind two' => [[$two, '{"a":"x"', '"n":1}']];
        yield 'half a text' => [['{"a":"x', 'y","n":1}', $two]];
        yield 'half a text with braces' => [['{"a":"x}', '{y","n":1}', $two]];
        yield 'half a row without its end' => [[$two, '{"a":"x","n":1', '}']];
        yield 'half a list in a tag' => [['{"a":{"r":"x","z":[{}', '{}]},"n":1}', $two]];
        yield 'half a list in a column that comes again' => [['{"a":[{}', '{}],"a":"x","n":1}', $two]];
        yield 'two rows with white space' => [[
            '{"a":"x"', '"n":1}', "{\"a\":\"x\",\"n\":1}\t, \r{ \"a\":\"x\",\"n\":1}",
        ]];
        yield 'a piece of two rows' => [['{"a":"x"', '"n":1},{"a":"x","n":1}']];
    }

    /** @param non-empty-list<string> $lines */
    #[Test]
    #[DataProvider('inPieces')]
    public function lines_that_are_rows_only_together_are_none(array $lines): void
    {
        $ignored = 0;

        self::assertNull((new LineDecoder(new Codec, new RegexCache))->rows($lines, $ignored));
    }

    #[Test]
    public function a_text_that_looks_like_two_rows_is_read_all_the_same(): void
    {
        $codec = new Codec;
        $lines = array_fill(0, 3, $codec->encode(['a' => 'ends with },{', 'b' => [['x' => 1], ['x' => 2]]]));

        self::agrees(new LineDecoder($codec), $codec, $lines, 'text');
        self::assertTrue(self::agrees(
            new LineDecoder($codec),
            $codec,
            array_fill(0, 3, $codec->encode(['a' => [['x' => 1], ['x' => 2]]])),
            'json',
        ));
    }

    #[Test]
    public function it_counts_what_was_altered_once(): void
    {
        $codec = new Codec;
        $decoder = new LineDecoder($codec, new RegexCache);
        $lines = array_fill(0, 150, $codec->encode(['a' => "\xFF", 'b' => ["\xFE", "\xFD"]]));

        $replaced = 5;
        self::assertNotNull($decoder->rows($lines, $replaced));
        self::assertSame(5 + 150 * 3, $replaced);

        $replaced = 5;
        self::assertNull($decoder->rows([...$lines, '{'], $replaced));
        self::assertNull($decoder->rows(
            [...array_slice($lines, 0, 100), ...array_fill(0, 100, '{"b":1,"a":2}')],
            $replaced,
        ));
        self::assertSame(5, $replaced);
    }

    #[Test]
    public function in_a_bucket_of_bytes_each_line_is_read_alone(): void
    {
        $codec = new Codec(Utf8::Binary);
        $replaced = 0;

        self::assertNull((new LineDecoder($codec))->rows([$codec->encode(['a' => 'x'])], $replaced));
        self::assertEquals(['a' => new Bytes('x')], $codec->decodeRow($codec->encode(['a' => 'x']))[0]);
    }

    /** @return iterable<string, array{string}> */
    public static function swelling(): iterable
    {
        yield 'lists in a list' => ['{"a":['.implode(',', array_fill(0, 5_000, '[1]')).']}'];
        yield 'objects in a list' => ['{"a":['.implode(',', array_fill(0, 2_500, '{"":1}')).']}'];
        yield 'structures' => [
            '{'.implode(',', array_map(static fn (int $n): string => '"'.dechex($n).'a":{"j":"1"}', range(0, 1_200)))
                .'}',
        ];
    }

    #[Test]
    #[DataProvider('swelling')]
    public function lines_that_swell_take_hardly_more_memory_together_than_alone(string $line): void
    {
        $lines = array_fill(0, 100, $line);
        $ignored = 0;
        $memory = memory_get_usage();
        memory_reset_peak_usage();

        (new LineDecoder(new Codec, new RegexCache))->rows($lines, $ignored);

        self::assertLessThan(32_000_000, memory_get_peak_usage() - $memory);
    }

    /** @param non-empty-list<string> $lines */
    private static function agrees(LineDecoder $decoder, Codec $codec, array $lines, string $message): bool
    {
        [$expected, $expectedReplaced] = self::expected($codec, $lines);
        $replaced = 0;
        $rows = $decoder->rows($lines, $replaced);

        if ($rows === null) {
            return false;
        }

        self::assertCount(count($lines), $rows);
        self::assertSame($expected, self::comparable($rows), $message);
        self::assertSame($expectedReplaced, $replaced, $message);

        return true;
    }

    /**
     * @param non-empty-list<string> $lines
     * @return array{?string, int} null if a line cannot be read, or has an id
     */
    private static function expected(Codec $codec, array $lines): array
    {
        [$rows, $replaced] = [[], 0];

        try {
            foreach ($lines as $line) {
                [$row, $id, $altered] = $codec->decodeRow($line);

                if ($id !== null) {
                    return [null, 0];
                }

                $rows[] = $row;
                $replaced += $altered;
            }
        } catch (UnableToDecode) {
            return [null, 0];
        }

        return [self::comparable(Rows::of($rows)), $replaced];
    }

    private static function comparable(Rows $rows): string
    {
        $plain = array_map(
            static fn (array $row): array => array_map(
                static fn (mixed $value): mixed => $value instanceof Date ? $value->toDateTime() : $value,
                $row,
            ),
            $rows->all(),
        );

        return serialize($plain);
    }

    /** @return non-empty-list<string> */
    private static function lines(Randomizer $random, Codec $codec): array
    {
        $kinds = [];

        for ($column = $random->getInt(1, 6); $column > 0; $column--) {
            $kinds[self::TEXTS[$random->getInt(1, 19)].$column] = $random->getInt(0, 6);
        }

        $mixed = $random->getInt(0, 9) === 0;
        $line = static fn (): string => $codec->encode(array_map(
            static fn (int $kind): mixed => self::value($random, $mixed ? $random->getInt(0, 6) : $kind),
            $kinds,
        ))
            .str_repeat(' ', $random->getInt(0, 1));
        $lines = [$line()];

        for ($number = $random->getInt(0, $random->getInt(0, 9) === 0 ? 250 : 5); $number > 0; $number--) {
            $lines[] = $line();
        }

        return $lines;
    }

    private static function value(Randomizer $random, int $kind): mixed
    {
        $text = self::TEXTS[$random->getInt(0, 19)].self::TEXTS[$random->getInt(0, 19)];

        return match ($random->getInt(0, 19) === 0 ? 7 : $kind) {
            0 => $text,
            1 => $random->getInt(PHP_INT_MIN, PHP_INT_MAX) >> $random->getInt(0, 63),
            2 => $random->getInt(-1_000_000, 1_000_000) / 10 ** $random->getInt(-20, 20),
            3 => $random->getInt(0, 1) === 1,
            4 => [$text, $text],
            5 => (new DateTimeImmutable('@'.$random->getInt(-60_000_000_000, 250_000_000_000)))->setTimezone(
                new DateTimeZone(['UTC', 'Europe/Berlin', '+05:45'][$random->getInt(0, 2)]),
            ),
            6 => $random->getInt(0, 3) === 0 ? "\xFF" : $text,
            default => null,
        };
    }

    private static function damaged(Randomizer $random, string $line): string
    {
        $at = $random->getInt(0, strlen($line) - 1);
        $byte = $random->getInt(0, 2) === 0 ? chr($random->getInt(0, 255)) : '{}[]",:\\ 0-.e'[$random->getInt(0, 12)];

        return match ($random->getInt(0, 3)) {
            0 => substr_replace($line, $byte === "\n" ? ' ' : $byte, $at, 1),
            1 => substr_replace($line, $byte === "\n" ? ' ' : $byte, $at, 0),
            2 => substr_replace($line, '', $at, 1),
            3 => substr($line, 0, $at),
        };
    }
}
