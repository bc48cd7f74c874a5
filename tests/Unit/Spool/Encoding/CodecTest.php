<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Encoding;

use Carbon\CarbonImmutable;
use DateTime;
use DateTimeImmutable;
use DateTimeInterface;
use DateTimeZone;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Utf8;
use Illuminate\Support\Collection;
use Illuminate\Support\Str;
use JsonSerializable;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use ReflectionClassConstant;

final class CodecTest extends TestCase
{
    #[Test]
    public function its_numbers_are_what_they_stand_for(): void
    {
        self::assertSame(
            JSON_UNESCAPED_UNICODE
                | JSON_UNESCAPED_SLASHES
                | JSON_UNESCAPED_LINE_TERMINATORS
                | JSON_PRESERVE_ZERO_FRACTION,
            (new ReflectionClassConstant(Codec::class, 'FLAGS'))->getValue(),
        );
        self::assertSame(
            2 * Codec::MAX_EVENT_BYTES,
            (new ReflectionClassConstant(Codec::class, 'MAX_LINE_BYTES'))->getValue(),
        );
    }

    /** @return iterable<string, array{scalar|null}> */
    public static function scalars(): iterable
    {
        $values = [
            null, true, false, 0, -1, PHP_INT_MAX, PHP_INT_MIN,
            0.0, 1.0, -1.5, 0.1, 1 / 3, 0.1 + 0.2, 1.0e25, 1.0e-7, 123456789012345678.0, PHP_FLOAT_MAX, PHP_FLOAT_MIN,
            PHP_FLOAT_EPSILON, 5.0e-324,
            '', '0', '1.0', 'null', ' ', 'Grüße', "\u{10FFFF}\u{FFFF}", "a\nb\r\n\tc", "\0", "\x01\x1F\x7F",
            "\u{2028}\u{2029}", '"\\/', '{"j":"x"}', '[1]', '</script>',
        ];

        foreach ($values as $value) {
            yield var_export($value, true) => [$value];
        }
    }

    #[Test]
    public function the_tags_of_one_line_are_not_taken_for_the_next_ones(): void
    {
        $codec = new Codec;
        $at = new DateTimeImmutable('2025-03-01 12:00:00 UTC');

        foreach ([
            ['a' => 'x', 'at' => $at],
            ['a' => 'a {brace', 'at' => 'text'],
            ['at' => 5, 'b' => $at],
            ['b' => '{', 'at' => $at],
            ['a' => '['],
            ['a' => $at, 'b' => $at],
            ['a' => 1],
        ] as $row) {
            self::assertEquals([$row, null, 0], $codec->decode($codec->encode($row)));
        }
    }

    #[Test]
    #[DataProvider('scalars')]
    public function a_scalar_arrives_with_its_value_and_its_type(string|int|float|bool|null $value): void
    {
        self::assertSame(['column' => $value], self::roundTrip(['column' => $value]));
        self::assertSame(
            ['date' => $value, 'column' => $value],
            ['date' => $value] + self::roundTrip(['date' => new DateTimeImmutable('2024-01-01'), 'column' => $value]),
        );
    }

    #[Test]
    #[DataProvider('scalars')]
    public function a_setting_that_shortens_floats_shortens_none_here(string|int|float|bool|null $value): void
    {
        self::assertSame(
            ['column' => $value],
            self::withPrecision('5', static fn (): array => self::roundTrip(['column' => $value])),
        );
    }

    #[Test]
    public function the_setting_is_looked_at_when_a_float_comes_and_not_before(): void
    {
        $codec = new Codec;

        self::assertSame(
            '{"third":{"f":"0.33333333333333331"}}',
            self::withPrecision('3', static fn (): string => $codec->encode(['third' => 1 / 3])),
        );
        self::assertSame(
            '{"third":0.3333333333333333}',
            self::withPrecision('-1', static fn (): string => $codec->encode(['third' => 1 / 3])),
        );
    }

    #[Test]
    public function minus_zero_keeps_its_sign(): void
    {
        foreach (['-1', '17', '5'] as $precision) {
            $arrived = self::withPrecision(
                $precision,
                static fn (): mixed => self::roundTrip(['column' => -0.0])['column'],
            );

            self::assertSame(
                -INF,
                is_float($arrived) ? fdiv(1, $arrived) : $arrived,
                "serialize_precision={$precision}",
            );
        }
    }

    #[Test]
    public function a_locale_with_a_decimal_comma_changes_no_float(): void
    {
        $before = setlocale(LC_NUMERIC, '0');

        if (setlocale(LC_NUMERIC, 'de_DE.UTF-8', 'de_DE', 'fr_FR.UTF-8', 'fr_FR', 'nl_NL.UTF-8') === false) {
            self::markTestSkipped('No locale with a decimal comma is installed on this machine, such as de_DE.UTF-8.');
        }

        try {
            self::assertSame(
                ['column' => 0.5],
                self::withPrecision('5', static fn (): array => self::roundTrip(['column' => 0.5])),
            );
        } finally {
            setlocale(LC_NUMERIC, (string) $before);
        }
    }

    #[Test]
    public function a_line_is_one_line_that_no_control_character_is_in(): void
    {
        $all = implode('', array_map(mb_chr(...), range(0, 0x2FF)));
        $line = (new Codec)->encode(['text' => $all, 'list' => [$all], "column\n\0" => 1]);

        self::assertDoesNotMatchRegularExpression('/[\x00-\x1F\xF5-\xFF]/', $line);
    }

    /** @return iterable<string, array{DateTimeInterface, string}> */
    public static function dates(): iterable
    {
        yield 'with an offset' => [
            new DateTimeImmutable('2024-02-29T23:59:59.000001+05:30'), '2024-02-29T23:59:59.000001+05:30',
        ];
        yield 'mutable' => [new DateTime('2024-01-02T03:04:05.999999-03:00'), '2024-01-02T03:04:05.999999-03:00'];
        yield 'in a time zone' => [
            new DateTimeImmutable('2024-07-01 12:00:00', new DateTimeZone('Europe/Berlin')),
            '2024-07-01T12:00:00.000000+02:00',
        ];
        yield 'Carbon' => [CarbonImmutable::parse('2024-01-02T03:04:05.000006Z'), '2024-01-02T03:04:05.000006+00:00'];
        yield 'before the epoch' => [
            new DateTimeImmutable('1969-12-31T23:59:59.5Z'), '1969-12-31T23:59:59.500000+00:00',
        ];
        yield 'the first year' => [new DateTimeImmutable('0001-01-01T00:00:00Z'), '0001-01-01T00:00:00.000000+00:00'];
        yield 'the last second' => [
            new DateTimeImmutable('9999-12-31T23:59:59.999999Z'), '9999-12-31T23:59:59.999999+00:00',
        ];
        yield 'local mean time, 19 minutes and 32 seconds ahead' => [
            new DateTimeImmutable('1900-01-01 00:00:00', new DateTimeZone('Europe/Amsterdam')),
            '1900-01-01T00:00:00.000000+00:19:32',
        ];
    }

    #[Test]
    #[DataProvider('dates')]
    public function a_date_arrives_as_the_same_instant_to_the_microsecond(DateTimeInterface $date, string $text): void
    {
        $arrived = self::roundTrip(['at' => $date])['at'];

        self::assertSame('{"at":{"d":"'.$text.'"}}', (new Codec)->encode(['at' => $date]));
        self::assertInstanceOf(DateTimeImmutable::class, $arrived);
        // A database is told the time of day, so that must be the same, too.
        self::assertSame($date->format('Y-m-d H:i:s.u'), $arrived->format('Y-m-d H:i:s.u'));
        self::assertSame($date->format('U.u'), $arrived->format('U.u'));
    }

    /** @return iterable<string, array{mixed, scalar|null|Json}> */
    public static function converted(): iterable
    {
        yield 'an enum with a text' => [Suit::Hearts, 'H'];
        yield 'an enum with a number' => [Level::High, 3];
        yield 'an enum without' => [Plain::One, 'One'];
        yield 'Stringable' => [Str::of('text'), 'text'];
        yield 'an array' => [['a' => 1, 'b' => [true, null]], new Json('{"a":1,"b":[true,null]}')];
        yield 'a list' => [[1, 2], new Json('[1,2]')];
        yield 'an empty array' => [[], new Json('[]')];
        yield 'an array that looks like a tag' => [['j' => '1'], new Json('{"j":"1"}')];
        yield 'JsonSerializable' => [self::serializable(['x' => 1.0]), new Json('{"x":1}')];
        yield 'JsonSerializable that is text' => [self::serializable('text'), new Json('"text"')];
        yield 'JsonSerializable that is null' => [self::serializable(null), new Json('null')];
        yield 'both JsonSerializable and Stringable' => [new Collection(['a' => 1]), '{"a":1}'];
    }

    /** @param scalar|Json|null $expected */
    #[Test]
    #[DataProvider('converted')]
    public function a_value_that_is_no_scalar_arrives_in_a_form_for_sql(mixed $value, mixed $expected): void
    {
        self::assertEquals(['column' => $expected], self::roundTrip(['column' => $value]));
        self::assertSame(gettype($expected), gettype(self::roundTrip(['column' => $value])['column']));
    }

    #[Test]
    public function any_text_can_name_a_column_but_a_number(): void
    {
        $row = [
            '1a' => 1,
            '01' => 2,
            '-' => 3,
            '1.5' => 4,
            ' 1' => 5,
            '9223372036854775808' => 6,
            "a\0b" => 7,
            'größe' => 8,
            'j' => 9,
            "\0" => 10,
        ];

        self::assertSame($row, self::roundTrip($row));
    }

    #[Test]
    public function broken_text_is_replaced_marked_and_counted(): void
    {
        $line = (new Codec(Utf8::Replace))->encode([
            'bad' => "caf\xE9 \xF0\x9F\x98",
            'good' => 'é',
            'in' => ["\xFF", 'k' => ["\xFE" => "\xFD"]],
        ]);

        [$row, , $replaced] = (new Codec)->decode($line);

        self::assertSame(["caf\u{FFFD} \u{FFFD}", 'é', 4], [$row['bad'] ?? null, $row['good'] ?? null, $replaced]);
        self::assertEquals(new Json('{"0":"\ufffd","k":{"\ufffd":"\ufffd"}}'), $row['in'] ?? null);
    }

    #[Test]
    public function in_a_binary_bucket_all_text_arrives_as_bytes(): void
    {
        $bytes = implode('', array_map(chr(...), range(0, 255)));
        $codec = new Codec(Utf8::Binary);

        self::assertEquals(
            [['b' => new Bytes($bytes), 't' => new Bytes('text'), 'n' => 1, 'j' => new Json('["text"]')], null, 0],
            $codec->decode($codec->encode(['b' => $bytes, 't' => 'text', 'n' => 1, 'j' => ['text']])),
        );
        self::assertEquals([['t' => new Bytes('text')], null, 0], $codec->decode('{"t":"text"}'));
    }

    #[Test]
    public function every_invalid_sequence_is_either_replaced_or_carried_as_bytes(): void
    {
        // Overlong, a surrogate, above U+10FFFF, a lone continuation, cut short.
        foreach ([
            "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80", "\xE2\x82", "\xF5\x80\x80\x80",
            "\xFF",
        ] as $broken) {
            [$row, , $replaced] = (new Codec)->decode((new Codec(Utf8::Replace))->encode(['x' => "a{$broken}b"]));

            self::assertIsString($row['x']);
            self::assertMatchesRegularExpression('/\Aa\x{FFFD}+b\z/u', $row['x'], bin2hex($broken));
            self::assertSame(1, $replaced);
            self::assertEquals(
                ['x' => new Bytes("a{$broken}b")],
                (new Codec)->decode((new Codec(Utf8::Binary))->encode(['x' => "a{$broken}b"]))[0],
            );
        }
    }

    #[Test]
    public function a_line_may_bring_an_id_of_its_own(): void
    {
        self::assertEquals(
            [['n' => 1, 'j' => new Json('[]')], 'order-1', 0],
            (new Codec)->decode('["order-1",{"n":1,"j":{"j":"[]"}}]'),
        );
        self::assertSame([['n' => 1], '', 0], (new Codec)->decode('["",{"n":1}]'));
        self::assertSame([['n' => '['], null, 0], (new Codec)->decode('{"n":"["}'));
    }

    /**
     * @param array<array-key, mixed> $row
     * @return array<string, mixed>
     */
    private static function roundTrip(array $row): array
    {
        return (new Codec)->decode((new Codec)->encode($row))[0];
    }

    /**
     * @template T
     *
     * @param callable(): T $do
     * @return T
     */
    private static function withPrecision(string $precision, callable $do): mixed
    {
        $before = ini_set('serialize_precision', $precision);

        try {
            return $do();
        } finally {
            ini_set('serialize_precision', (string) $before);
        }
    }

    private static function serializable(mixed $content): JsonSerializable
    {
        return new class($content) implements JsonSerializable
        {
            public function __construct(private readonly mixed $content) {}

            public function jsonSerialize(): mixed
            {
                return $this->content;
            }
        };
    }
}
