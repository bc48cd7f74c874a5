<?php

declare(strict_types=1);

namespace Headroom\Support;

/**
 * Makes foreign text safe for one line of a log or a terminal. A newline must not start another log entry, an escape
 * sequence must not control the terminal, and a direction mark must not change how the line reads.
 *
 * @internal
 */
final readonly class TerminalText
{
    /** C0, DEL and C1 controls, line and paragraph separators, direction marks. */
    private const CONTROL =
        '/[\x00-\x1F\x7F\x{80}-\x{9F}\x{2028}\x{2029}\x{061C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}]/u';

    private const SHORT = ["\n" => '\n', "\r" => '\r', "\t" => '\t', "\e" => '\e'];

    /** The whole text, with escapes for characters that cannot be displayed. */
    public static function line(string $text): string
    {
        $escape = static fn (array $match): string => self::escape(is_string($match[0]) ? $match[0] : '');

        // Text that is not UTF-8 is escaped byte by byte.
        return preg_replace_callback(self::CONTROL, $escape, $text)
            ?? (string) preg_replace_callback('/[^\x20-\x7E]/', $escape, $text);
    }

    /** @param string $one singular noun whose plural ends in s: "2 events" */
    public static function count(int $count, string $one): string
    {
        return "{$count} {$one}".($count === 1 ? '' : 's');
    }

    private static function escape(string $character): string
    {
        return self::SHORT[$character] ?? implode(
            '',
            array_map(static fn (string $byte): string => sprintf('\x%02X', ord($byte)), str_split($character)),
        );
    }

    /** The first bytes of a foreign name or key, which can have any length. */
    public static function name(string $text, int $most = 120): string
    {
        return strlen($text) <= $most ? self::line($text) : self::line(Utf8Cut::cut($text, $most)).'…';
    }
}
