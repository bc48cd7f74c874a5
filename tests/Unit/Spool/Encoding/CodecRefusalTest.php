<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Encoding;

use ArrayObject;
use DateTimeImmutable;
use Headroom\Core\Permanent;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Encoding\UnableToDecode;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\Utf8;
use Headroom\Tests\Support\Sentence;
use JsonSerializable;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use stdClass;
use Stringable;

/**
 * Values that no line can represent, and lines that no version of the codec wrote.
 */
final class CodecRefusalTest extends TestCase
{
    /** @return iterable<string, array{array<array-key, mixed>, InvalidEvent}> */
    public static function refused(): iterable
    {
        $file = fopen('php://memory', 'r');
        $cycle = [];
        $cycle['self'] = &$cycle;

        yield 'an empty row' => [[], InvalidEvent::isEmpty()];
        yield 'a list' => [['a', 'b'], InvalidEvent::notAMap(0)];
        yield 'a column that is a number' => [['a' => 1, '17' => 2], InvalidEvent::notAMap(17)];
        yield 'a column without a name' => [['' => 1], InvalidEvent::notAMap('')];
        yield 'a column that is not UTF-8' => [["na\xFFme" => 1], InvalidEvent::notUtf8("na\u{FFFD}me", Sentence::ANY)];
        yield 'a closure' => [
            ['f' => strlen(...)], InvalidEvent::typeNotAllowed('f', strlen(...)),
        ];
        yield 'a closure in an array' => [
            ['f' => ['a' => [strlen(...)]]],
            InvalidEvent::typeNotAllowed('f.a.0', strlen(...)),
        ];
        yield 'a resource' => [['r' => $file], InvalidEvent::typeNotAllowed('r', $file)];
        yield 'a resource in an array' => [['a' => ['b' => $file]], InvalidEvent::typeNotAllowed('a.b', $file)];
        yield 'an object of no kind' => [['o' => new stdClass], InvalidEvent::typeNotAllowed('o', new stdClass)];
        yield 'an object in an array' => [
            ['o' => [new ArrayObject]], InvalidEvent::typeNotAllowed('o.0', new ArrayObject),
        ];
        yield 'NAN' => [['n' => NAN], InvalidEvent::notFinite('n', NAN)];
        yield 'INF' => [['n' => INF], InvalidEvent::notFinite('n', INF)];
        yield 'minus INF in an array' => [['n' => ['x' => ['y' => -INF]]], InvalidEvent::notFinite('n.x.y', -INF)];
        yield 'a cycle' => [['c' => $cycle], InvalidEvent::tooDeep('c'.str_repeat('.self', 64), [], 64)];
        yield 'a year of five digits' => [
            ['d' => new DateTimeImmutable('@253402300800')], InvalidEvent::yearOutOfRange('d', '10000'),
        ];
        yield 'a year before the first' => [
            ['d' => new DateTimeImmutable('-0001-01-01')], InvalidEvent::yearOutOfRange('d', '-0001'),
        ];
        yield 'the year zero' => [
            ['d' => new DateTimeImmutable('0000-06-01')], InvalidEvent::yearOutOfRange('d', '0000'),
        ];
        yield 'jsonSerialize() that throws' => [
            ['j' => self::throwing()], InvalidEvent::threw('j', self::throwing(), new RuntimeException('no content')),
        ];
        yield 'jsonSerialize() that throws in an array' => [
            ['j' => [1, ['x' => self::throwing()]]],
            InvalidEvent::threw('j.1.x', self::throwing(), new RuntimeException('no content')),
        ];
        yield 'jsonSerialize() that returns itself' => [
            ['j' => new ReturnsItself], InvalidEvent::neverPlain('j', new ReturnsItself, 64),
        ];
        yield '__toString() that throws' => [
            ['s' => self::unspeakable()],
            InvalidEvent::threw('s', self::unspeakable(), new RuntimeException('no words')),
        ];
        yield '__toString() that throws in an array' => [
            ['s' => ['t' => self::unspeakable()]],
            InvalidEvent::threw('s.t', self::unspeakable(), new RuntimeException('no words')),
        ];
    }

    /** @param array<array-key, mixed> $row */
    #[Test]
    #[DataProvider('refused')]
    public function a_value_that_cannot_be_carried_is_refused_with_its_place(array $row, InvalidEvent $expected): void
    {
        try {
            (new Codec)->encode($row);
        } catch (InvalidEvent $e) {
            Sentence::in($expected, $e);
            self::assertContains(Permanent::class, class_implements($e));

            return;
        }

        self::fail("Not refused: {$expected->path}");
    }

    #[Test]
    public function an_event_of_a_mebibyte_is_taken_and_a_byte_more_is_not(): void
    {
        $text = str_repeat('x', Codec::MAX_EVENT_BYTES - strlen('{"text":""}'));

        self::assertSame(1_048_576, strlen((new Codec)->encode(['text' => $text])));

        $this->expectExceptionObject(InvalidEvent::tooLarge(1_048_577, 1_048_576));
        (new Codec)->encode(['text' => "{$text}x"]);
    }

    #[Test]
    public function a_binary_bucket_takes_no_broken_text_inside_an_array(): void
    {
        $refusal = self::refusal(Utf8::Binary, ['a' => ['b' => "\xFF"]]);

        Sentence::naming(['JSON'], InvalidEvent::notUtf8('a.b', Sentence::ANY), $refusal);
    }

    #[Test]
    public function a_refusing_bucket_refuses_broken_text(): void
    {
        $refusal = self::refusal(Utf8::Refuse, ['a' => 'é', 'b' => "\xE9"]);

        Sentence::naming(["'refuse'"], InvalidEvent::notUtf8('b', Sentence::ANY), $refusal);
    }

    /** @param array<string, mixed> $row */
    private static function refusal(Utf8 $utf8, array $row): InvalidEvent
    {
        try {
            (new Codec($utf8))->encode($row);
        } catch (InvalidEvent $e) {
            return $e;
        }

        self::fail('It was taken.');
    }

    /** @return iterable<string, array{string, UnableToDecode}> */
    public static function undecodable(): iterable
    {
        foreach ([
            '', 'null', '1', '"text"', '[]', '{}', '[1,2]', '["id"]', '["id",[]]', '["id",{}]', '["id",{"a":1},1]',
            '[{"a":1}]', '{"1":1}', '{"-5":1,"a":1}', '{"":1}', '{"a":1', '{"a":1} x', "\xFF", '{"a":{"j":{"b":{}}}}',
        ] as $line) {
            yield "no row: {$line}" => [$line, UnableToDecode::notARow(strlen($line))];
        }

        foreach ([
            '{"a":{}}' => '',
            '{"a":[]}' => '',
            '{"a":["j"]}' => '',
            '{"a":{"z":"x"}}' => 'z',
            '{"a":{"j":1}}' => 'j',
            '{"a":{"d":"yesterday"}}' => 'd',
            '{"a":{"b":"%"}}' => 'b',
            '{"a":{"f":"0,5"}}' => 'f',
            '{"a":{"f":""}}' => 'f',
            '{"a":1,"b":{"new":"x"}}' => 'new',
        ] as $line => $tag) {
            yield "no tag: {$line}" => [$line, UnableToDecode::unknownTag($tag, strlen($line))];
        }
    }

    #[Test]
    #[DataProvider('undecodable')]
    public function a_line_that_no_version_1_writes_is_refused(string $line, UnableToDecode $expected): void
    {
        $this->expectExceptionObject($expected);

        (new Codec)->decode($line);
    }

    private static function throwing(): JsonSerializable
    {
        return new class implements JsonSerializable
        {
            public function jsonSerialize(): never
            {
                throw new RuntimeException('no content');
            }
        };
    }

    private static function unspeakable(): Stringable
    {
        return new class implements Stringable
        {
            public function __toString(): string
            {
                throw new RuntimeException('no words');
            }
        };
    }
}
