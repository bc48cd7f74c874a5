<?php

declare(strict_types=1);

namespace Headroom\Support;

/**
 * Text from outside for one line of a log or a terminal: a newline must not begin another entry, an escape sequence must
 * not speak to the terminal, and a mark that turns the direction of writing must not make a line read otherwise.
 *
 * @internal
 */
final readonly class TerminalText
{
    /** C0, DEL and C1 controls, line and paragraph separators, marks of direction. */
    private const CONTROL = '/[\x00-\x1F\x7F\x{80}-\x{9F}\x{2028}\x{2029}\x{061C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}]/u';

    private const SHORT = ["\n" => '\n', "\r" => '\r', "\t" => '\t', "\e" => '\e'];

    /** All of it, with what can not be shown as an escape. */
    public static function line(string $text): string
    {
        $escape = static fn (array $match): string => self::escape(is_string($match[0]) ? $match[0] : '');

        // What is not UTF-8 is not worth telling apart.
        return preg_replace_callback(self::CONTROL, $escape, $text) ?? (string) preg_replace_callback('/[^\x20-\x7E]/', $escape, $text);
    }

    /** @param string $one what is counted, with a plural in s: "2 events" */
    public static function count(int $count, string $one): string
    {
        return "{$count} {$one}".($count === 1 ? '' : 's');
    }

    private static function escape(string $character): string
    {
        return self::SHORT[$character] ?? implode('', array_map(static fn (string $byte): string => sprintf('\x%02X', ord($byte)), str_split($character)));
    }

    /** The beginning, when it is somebody's name or key, which can be of any length. */
    public static function name(string $text, int $most = 120): string
    {
        return strlen($text) <= $most ? self::line($text) : self::line(Utf8Cut::cut($text, $most)).'…';
    }
}
