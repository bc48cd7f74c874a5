<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Core;

use Headroom\Core\Position;
use InvalidArgumentException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PositionTest extends TestCase
{
    /** @return iterable<string, array{Position, string}> */
    public static function positions(): iterable
    {
        yield 'the start' => [Position::start(), '00000000000000000000-00000000000000000000-00000'];
        yield 'an ordinary one' => [new Position(17, 4096, 3), '00000000000000000017-00000000000000004096-00003'];
        yield 'the last' => [
            new Position(PHP_INT_MAX, PHP_INT_MAX, 65535), '09223372036854775807-09223372036854775807-65535',
        ];
    }

    #[Test]
    #[DataProvider('positions')]
    public function it_is_47_characters_of_text_and_back(Position $position, string $text): void
    {
        self::assertSame($text, $position->toString());
        self::assertSame(47, strlen($text));
        self::assertEquals($position, Position::fromString($text));
    }

    /** @return iterable<string, array{string, list<int|string>}> text, and the numbers that the message has */
    public static function refused(): iterable
    {
        yield 'nothing' => ['', [20, 5]];
        yield 'a digit too few' => ['0000000000000000000-00000000000000000000-00000', [20, 5]];
        yield 'a digit too many' => ['00000000000000000000-00000000000000000000-000000', [20, 5]];
        yield 'a newline at the end' => ["00000000000000000000-00000000000000000000-00000\n", [20, 5]];
        yield 'a sign' => ['-0000000000000000001-00000000000000000000-00000', [20, 5]];
        yield 'other digits' => ['0000000000000000000٣-00000000000000000000-00000', [20, 5]];
        yield 'a segment above the largest integer' => [
            '09223372036854775808-00000000000000000000-00000', ['09223372036854775808', PHP_INT_MAX],
        ];
        yield 'an offset of all nines' => [
            '00000000000000000000-99999999999999999999-00000', ['99999999999999999999', PHP_INT_MAX],
        ];
        yield 'an index no frame can have' => ['00000000000000000000-00000000000000000000-65536', ['65536', 65535]];
    }

    /** @param list<int|string> $numbers */
    #[Test]
    #[DataProvider('refused')]
    public function text_that_is_no_position_is_refused_and_shown(string $text, array $numbers): void
    {
        $said = '';

        try {
            Position::fromString($text);
        } catch (InvalidArgumentException $e) {
            $said = $e->getMessage();
        }

        self::assertStringContainsString("'{$text}'", $said);

        foreach ($numbers as $number) {
            self::assertMatchesRegularExpression("/\\b{$number}\\b/", str_replace("'{$text}'", '', $said));
        }
    }

    #[Test]
    public function positions_sort_by_segment_then_offset_then_index_and_so_does_their_text(): void
    {
        $rising = [
            new Position(0, 0, 0),
            new Position(0, 0, 1),
            new Position(0, 9, 65535),
            new Position(0, 10, 0),
            new Position(2, 0, 0),
            new Position(10, 5, 5),
            new Position(PHP_INT_MAX, 0, 0),
        ];

        foreach ($rising as $i => $a) {
            foreach ($rising as $j => $b) {
                self::assertSame($i <=> $j, $a->compare($b));
                self::assertSame($i <=> $j, strcmp($a->toString(), $b->toString()) <=> 0);
                self::assertSame($i === $j, $a->equals($b));
            }
        }
    }

    #[Test]
    public function only_the_start_is_the_start(): void
    {
        self::assertTrue(Position::start()->isStart());
        self::assertFalse((new Position(1, 0, 0))->isStart());
        self::assertFalse((new Position(0, 1, 0))->isStart());
        self::assertFalse((new Position(0, 0, 1))->isStart());
    }
}
