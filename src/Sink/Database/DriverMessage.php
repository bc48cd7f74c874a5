<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

/**
 * A server's error text without the values it quotes: they are users' data, and messages go to logs.
 *
 * @internal
 */
final readonly class DriverMessage
{
    /** SQLSTATE classes whose texts speak of connections, locks and servers and never of rows. */
    private const NEVER_QUOTES = ['08', '28', '40', '53', '55', '57'];

    /** What a trigger's author wrote can hold anything. */
    private const RAISED_BY_USERS = ['45', 'P0'];

    /** Texts that say something worth knowing behind the value. Greedy, so that no value can end itself early. */
    private const AROUND_A_VALUE = [
        "/^(Duplicate entry) '.*' (for key '[^']*')$/s",
        "/^(Incorrect [\w ]+ value): '.*' (for column [^']+ at row \d+)$/s",
        '/^(ERROR:  value) ".*" (is out of range for type [\w ]+)$/s',
    ];

    /** A quoted word behind one of these is a name. */
    private const NAMES = '/(?:\b(?:column|relation|table|constraint|key|field|in|schema|function|type|index|trigger|database|sequence|view|role|user|domain|fails \(|REFERENCES|FOREIGN KEY \(|at)\s*|\.)\K(?:\'[^\']*\'|"[^"]*"|`[^`]*`)/i';

    public static function withoutValues(string $text, string $sqlState): string
    {
        $class = substr($sqlState, 0, 2);

        if (in_array($class, self::RAISED_BY_USERS, true)) {
            return 'a trigger or function raised an error';
        }

        if (in_array($class, self::NEVER_QUOTES, true)) {
            return self::firstLine($text);
        }

        foreach (self::AROUND_A_VALUE as $pattern) {
            if (preg_match($pattern, self::withoutDetail($text), $parts) === 1) {
                return "{$parts[1]} {$parts[2]}";
            }
        }

        return self::cutAtValue($text);
    }

    public static function firstLine(string $text): string
    {
        return rtrim(explode("\n", ltrim($text), 2)[0], ". \r");
    }

    /** PostgreSQL's text goes on with the failing row itself. */
    private static function withoutDetail(string $text): string
    {
        return (string) preg_replace('/\n(?:DETAIL|CONTEXT|HINT|LINE \d+|QUERY):.*$/s', '', $text);
    }

    private static function cutAtValue(string $text): string
    {
        $names = [];
        $marked = preg_replace_callback(self::NAMES, static function (array $match) use (&$names): string {
            $names[] = $match[0];

            return "\0".(count($names) - 1)."\0";
        }, str_replace("\0", '', $text));
        $kept = self::firstLine((string) preg_replace('/(?<!\w)[\'"`].*$/s', '…', $marked ?? '…'));

        return (string) preg_replace_callback('/\0(\d+)\0/', static fn (array $match): string => $names[(int) $match[1]] ?? '', $kept);
    }
}
