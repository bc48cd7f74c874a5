<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Encoding;

use Carbon\CarbonImmutable;
use DateTimeImmutable;
use Headroom\Spool\Encoding\StructuredValue;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\Utf8;
use Headroom\Tests\Support\Sentence;
use Illuminate\Support\Collection;
use Illuminate\Support\Str;
use JsonSerializable;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use stdClass;

final class StructuredValueTest extends TestCase
{
    /** @return iterable<string, array{mixed}> */
    public static function asJsonEncode(): iterable
    {
        yield 'nothing' => [[]];
        yield 'a list' => [[1, 'a', true, null]];
        yield 'a map' => [['b' => 1, 'a' => 2]];
        yield 'a list with a hole' => [[0 => 'a', 2 => 'b']];
        yield 'keys that look like numbers' => [['1' => 'a', '01' => 'b', '-0' => 'c', '' => 'd']];
        yield 'a key of bytes below the space' => [["\0a" => 1, "\n" => 2]];
        yield 'integers to the edge' => [[PHP_INT_MAX, PHP_INT_MIN]];
        yield 'floats' => [[1.0, -0.0, 0.1, 1 / 3, 1.0e25, PHP_FLOAT_MAX, 5.0e-324]];
        yield 'text' => [['é', "\u{10FFFF}", "a\nb", "\0", '/', '<a href="x">', "\u{2028}"]];
        yield 'an object' => [(object) ['a' => 1, '7' => 2]];
        yield 'an empty object in an empty list' => [['x' => new stdClass, 'y' => []]];
        yield 'enums' => [[Suit::Hearts, Level::High]];
        yield 'Carbon' => [[CarbonImmutable::parse('2024-01-02T03:04:05.000006Z')]];
        yield 'a collection of collections' => [new Collection([
            new Collection([1]),
            new Collection(['a' => new Collection]),
        ])];
    }

    #[Test]
    #[DataProvider('asJsonEncode')]
    public function it_is_the_text_that_json_encode_gives(mixed $value): void
    {
        self::assertSame(json_encode($value), StructuredValue::of('column', $value, Utf8::Replace)->text);

        $before = ini_set('serialize_precision', '5');
        $text = [json_encode($value), StructuredValue::of('column', $value, Utf8::Refuse)->text];
        ini_set('serialize_precision', (string) $before);

        self::assertSame($text[0], $text[1]);
    }

    /** @return iterable<string, array{mixed, string}> */
    public static function betterThanJsonEncode(): iterable
    {
        yield 'a date, which json_encode() takes apart' => [
            [new DateTimeImmutable('2024-01-02T03:04:05.000006+02:00')], '["2024-01-02T03:04:05.000006+02:00"]',
        ];
        yield 'Stringable, of which json_encode() makes an object' => [['s' => new class
        {
            public function __toString(): string
            {
                return 'text';
            }
        }], '{"s":"text"}'];
        yield 'an enum without a value, which json_encode() refuses' => [[Plain::One], '["One"]'];
        yield 'Laravel\'s Stringable' => [[Str::of('text')], '["text"]'];
    }

    #[Test]
    #[DataProvider('betterThanJsonEncode')]
    public function some_types_are_text_that_json_encode_makes_none_of(mixed $value, string $text): void
    {
        self::assertSame($text, StructuredValue::of('column', $value, Utf8::Replace)->text);
    }

    #[Test]
    public function the_value_that_json_serialize_returns_is_checked_too(): void
    {
        $wrapped = new class implements JsonSerializable
        {
            public function jsonSerialize(): mixed
            {
                return ['inner' => new Collection([1, static fn (): int => 1])];
            }
        };

        $this->expectExceptionObject(InvalidEvent::typeNotAllowed('column.inner.1', static fn (): int => 1));

        StructuredValue::of('column', $wrapped, Utf8::Replace);
    }

    #[Test]
    public function sixty_four_levels_are_taken_with_any_value_in_the_last(): void
    {
        foreach (['leaf', [], new stdClass] as $core) {
            $levels = is_string($core) ? 64 : 63;

            self::assertSame(
                json_encode(self::nested($levels, $core)),
                StructuredValue::of('c', self::nested($levels, $core), Utf8::Replace)->text,
            );
        }
    }

    /** @return iterable<string, array{mixed, int}> */
    public static function tooDeep(): iterable
    {
        yield 'text in 65 arrays' => [self::nested(65, 'leaf'), 64];
        yield 'an empty array in 64' => [self::nested(64, []), 64];
        yield 'an object in 64 arrays' => [self::nested(64, new stdClass), 64];
        yield 'a collection in 64 arrays' => [self::nested(64, new Collection), 64];
        yield 'much too deep' => [self::nested(1000, 1), 64];
    }

    #[Test]
    #[DataProvider('tooDeep')]
    public function the_sixty_fifth_level_is_refused_at_its_place(mixed $value, int $levels): void
    {
        $path = 'c'.str_repeat('.0', $levels);

        $this->expectExceptionObject(InvalidEvent::tooDeep($path, [], 64));

        StructuredValue::of('c', $value, Utf8::Replace);
    }

    #[Test]
    public function objects_that_hold_each_other_are_refused(): void
    {
        $a = new stdClass;
        $a->b = new stdClass;
        $a->b->a = $a;

        $this->expectExceptionObject(InvalidEvent::tooDeep('c'.str_repeat('.b.a', 32), [], 64));

        StructuredValue::of('c', $a, Utf8::Replace);
    }

    #[Test]
    public function broken_keys_and_values_are_replaced_and_counted(): void
    {
        $structured = StructuredValue::of('c', ["k\xFF" => "v\xFE", 'fine' => 'é', 'in' => [["\xC3"]]], Utf8::Replace);

        self::assertSame('{"k\ufffd":"v\ufffd","fine":"\u00e9","in":[["\ufffd"]]}', $structured->text);
        self::assertSame(3, $structured->replaced);
    }

    #[Test]
    public function broken_keys_that_would_become_one_are_refused_rather_than_lost(): void
    {
        foreach ([["k\xFF" => 1, "k\xFE" => 2], ["k\xFF" => 1, "k\u{FFFD}" => 2]] as $value) {
            try {
                StructuredValue::of('c', ['x' => $value], Utf8::Replace);
                self::fail('Not refused.');
            } catch (InvalidEvent $e) {
                Sentence::in(InvalidEvent::notUtf8('c.x', Sentence::ANY), $e);
            }
        }
    }

    #[Test]
    public function where_nothing_is_replaced_broken_keys_and_values_are_refused_at_their_place(): void
    {
        foreach ([Utf8::Refuse, Utf8::Binary] as $utf8) {
            foreach (['c.a.0' => ['a' => ["\xFF"]], "c.a.k\u{FFFD}" => ['a' => ["k\xFF" => 1]]] as $path => $value) {
                try {
                    StructuredValue::of('c', $value, $utf8);
                    self::fail('Not refused.');
                } catch (InvalidEvent $e) {
                    Sentence::naming(['JSON'], InvalidEvent::notUtf8($path, Sentence::ANY), $e);
                }
            }
        }
    }

    #[Test]
    public function the_replacement_of_broken_bytes_depends_on_no_setting(): void
    {
        $before = mb_substitute_character();
        mb_substitute_character('none');

        try {
            self::assertSame("a\u{FFFD}b", StructuredValue::scrub("a\xFFb"));
        } finally {
            mb_substitute_character($before);
        }
    }

    /** @param int<1, max> $levels */
    private static function nested(int $levels, mixed $core): mixed
    {
        for (; $levels > 0; $levels--) {
            $core = [$core];
        }

        return $core;
    }
}
