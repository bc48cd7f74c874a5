<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host\Log;

use Headroom\Host\Log\LineReader;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class LineReaderTest extends TestCase
{
    /** @return iterable<string, array{string, list<string>, bool}> text, lines, whether the last has no end */
    public static function texts(): iterable
    {
        yield 'nothing' => ['', [], false];
        yield 'one line' => ["a\n", ['a'], false];
        yield 'no end' => ["a\nb", ['a', 'b'], true];
        yield 'empty lines' => ["\n\na\n", ['', '', 'a'], false];
        yield 'CRLF' => ["a\r\n\r\nb\r\n", ['a', '', 'b'], false];
        yield 'CR within' => ["a\rb\r\r\n", ["a\rb\r"], false];
        yield 'NUL and what is not UTF-8' => ["a\x00\xff\n\xfe\n", ["a\x00\xff", "\xfe"], false];
        yield 'a hole of a file that was emptied' => ["a\n\0\0\0\0b\n", ['a', 'b'], false];
    }

    /** @param list<string> $lines */
    #[Test]
    #[DataProvider('texts')]
    public function lines_are_the_same_however_the_text_comes(string $text, array $lines, bool $isCut): void
    {
        for ($size = 1; $size <= max(1, strlen($text)); $size++) {
            $reader = new LineReader;

            self::assertSame($lines, self::all($reader, $text === '' ? [] : str_split($text, $size)));
            self::assertSame($isCut, $reader->isCut());
        }
    }

    #[Test]
    public function of_a_line_that_is_too_long_the_beginning_is_kept(): void
    {
        $long = str_repeat('x', LineReader::LONGEST + 1);

        foreach ([7, 1_000, 65_536, 500_000] as $size) {
            $reader = new LineReader;

            self::assertSame(
                ['a', substr($long, 1), 'b', substr($long, 1), 'c'],
                self::all($reader, str_split("a\n{$long}\nb\n{$long}{$long}\nc\n", $size)),
            );
            self::assertSame([2, false], [$reader->overlong(), $reader->isCut()]);
        }
    }

    #[Test]
    public function a_long_hole_is_no_long_line(): void
    {
        $reader = new LineReader;

        self::assertSame(['a'], self::all($reader, str_split(str_repeat("\0", 5 * LineReader::LONGEST)."a\n", 1_000)));
        self::assertSame(0, $reader->overlong());
    }

    #[Test]
    public function a_line_of_that_length_is_not_too_long(): void
    {
        $reader = new LineReader;

        self::assertSame(
            [str_repeat('x', LineReader::LONGEST)],
            self::all($reader, str_split(str_repeat('x', LineReader::LONGEST)."\n", 1_000)),
        );
        self::assertSame(0, $reader->overlong());
    }

    #[Test]
    public function a_line_without_end_takes_no_memory(): void
    {
        $reader = new LineReader;
        $chunk = str_repeat('x', 100_000);
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $lines = self::all($reader, (static function () use ($chunk): iterable {
            for ($i = 0; $i < 2_000; $i++) {
                yield $chunk;
            }
        })());

        self::assertCount(1, $lines);
        self::assertSame([1, true], [$reader->overlong(), $reader->isCut()]);
        self::assertLessThan(2_000_000, memory_get_peak_usage() - $before);
    }

    /**
     * @param iterable<string> $chunks
     * @return list<string>
     */
    private static function all(LineReader $reader, iterable $chunks): array
    {
        $lines = [];

        foreach ($reader->lines($chunks) as $line) {
            $lines[] = $line;
        }

        return $lines;
    }
}
