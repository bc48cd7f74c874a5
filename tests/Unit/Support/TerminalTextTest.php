<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Support;

use Headroom\Spool\Encoding\UnableToDecode;
use Headroom\Spool\Exceptions\CorruptState;
use Headroom\Spool\InvalidBucket;
use Headroom\Spool\InvalidEvent;
use Headroom\Support\TerminalText;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use stdClass;
use Throwable;

final class TerminalTextTest extends TestCase
{
    #[Test]
    public function control_characters_and_line_ends_are_shown_as_escapes(): void
    {
        self::assertSame('a\nb\r\tc\e[31m\x00\x7F', TerminalText::line("a\nb\r\tc\e[31m\0\x7F"));
        self::assertSame(
            'C1 \xC2\x9B31m, \xE2\x80\xA8 and \xE2\x80\xAEtfel',
            TerminalText::line("C1 \u{9B}31m, \u{2028} and \u{202E}tfel"),
        );
        self::assertSame('broken \x9B\xC3 caf\xC3\xA9 \n', TerminalText::line("broken \x9B\xC3 café \n"));
    }

    #[Test]
    public function other_text_stays_as_it_is(): void
    {
        self::assertSame('Grüße, 世界 👋🏽 100 % \\n <error> {}', TerminalText::line('Grüße, 世界 👋🏽 100 % \\n <error> {}'));
        self::assertSame('', TerminalText::line(''));
    }

    #[Test]
    public function of_a_long_name_the_beginning_is_shown_and_no_character_is_cut(): void
    {
        self::assertSame(str_repeat('é', 60).'…', TerminalText::name(str_repeat('é', 5000)));
        self::assertSame('a'.str_repeat('é', 59).'…', TerminalText::name('a'.str_repeat('é', 5000)));
        self::assertLessThan(600, strlen(TerminalText::name(str_repeat("\0", 1_000_000))));
    }

    /** @return iterable<string, array{Throwable}> */
    public static function messages(): iterable
    {
        $evil = "evil\n[2030-01-01 00:00:00] production.ERROR: forged\e]0;title\x07\u{9B}2J".str_repeat('x', 100_000);

        yield 'bucket name' => [InvalidBucket::name($evil)];
        yield 'undeclared bucket' => [InvalidBucket::undeclared($evil)];
        yield 'column of a wrong type' => [InvalidEvent::typeNotAllowed($evil, fopen('php://memory', 'r'))];
        yield 'column that is not UTF-8' => [InvalidEvent::notUtf8($evil, 'A column name must be.')];
        yield 'key' => [InvalidEvent::notAMap($evil)];
        yield 'what an object threw' => [InvalidEvent::threw('at', new stdClass, new RuntimeException($evil))];
        yield 'tag on disk' => [UnableToDecode::unknownTag($evil, 12)];
        yield 'path' => [CorruptState::ofBothRecords(substr($evil, 0, 200))];
    }

    #[Test]
    #[DataProvider('messages')]
    public function no_message_carries_what_it_quotes_raw_or_at_any_length(Throwable $message): void
    {
        self::assertDoesNotMatchRegularExpression('/[\x00-\x1F\x7F]|\xC2[\x80-\x9F]/', $message->getMessage());
        self::assertLessThan(1500, strlen($message->getMessage()));
        self::assertStringContainsString('evil', $message->getMessage());
    }
}
