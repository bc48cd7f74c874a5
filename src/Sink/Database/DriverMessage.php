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
    public const RAISED = 'a trigger or function raised an error';

    public const NO_PARTITION = 'Table has no partition for the value';

    /** SQLSTATE classes whose texts speak of connections, locks and servers and never of rows. */
    private const NEVER_QUOTES = ['08', '28', '40', '53', '55', '57'];

    /** What a trigger's author wrote can hold anything. */
    private const RAISED_BY_USERS = ['45', 'P0'];

    /**
     * With another SQLSTATE PL/pgSQL still says that it was RAISE, in a line whose first word is the server's language.
     */
    private const RAISE = '~\n[^\s:]+: +[^\n]*PL/pgSQL[^\n]*\bRAISE\b(?:\n[^\n]*)*\z~';

    /** Of a trigger SQLite says nothing but its text. */
    private const OF_SQLITE = '/\A(?:(?:UNIQUE|NOT NULL|CHECK|FOREIGN KEY|PRIMARY KEY) constraint failed\b|constraint failed\z|cannot store [A-Z]+ value in )/';

    private const CONSTRAINT_OF_SQLITE = 19;

    /**
     * Texts that say something worth knowing behind the value. The value is matched greedily, so that it cannot end
     * itself early; the name of a column may have quotes in it.
     */
    private const AROUND_A_VALUE = [
        "/\A(Duplicate entry) '.*' (for key '.+')\z/s",
        "/\A(Incorrect [\w ]+ value): '.*' (for column '.+' at row \d+)\z/s",
        '/\A(Incorrect [\w ]+ value): \'.*\' (for column `.+` at row \d+)\z/s',
        "/\A(Invalid JSON text): \".*\" (at position \d+ in value for column '.+')\.?\z/s",
        '/\A(CONSTRAINT `.+`) (failed for `.+`)\z/s',
        '/\A(ERROR:  value) ".*" (is out of range for type [\w ]+)\z/s',
    ];

    /** Texts that begin with the value. */
    private const BEHIND_A_VALUE = '/\AERROR:  ".*" (is out of range for type [\w ]+|is not a valid \w+ digit)\z/s';

    private const EXPRESSION = '/\A([\w ]+ value is out of range) in \'(.*)\'\z/s';

    private const BEHIND_THE_TEXT = '/\n(?:DETAIL|CONTEXT|HINT|LINE \d+|QUERY):.*\z/s';

    /** A quoted word behind one of these is a name. */
    private const NAMES = '/(?:\b(?:column|relation|table|constraint|key|field|in|schema|function|type|index|trigger|database|sequence|view|role|user|domain|fails \(|REFERENCES|FOREIGN KEY \(|at)\s*|\.)\K(?:\'[^\']*\'|"[^"]*"|`[^`]*`)/i';

    /** A quote of any language, but for an apostrophe, a number behind a colon, or one with a decimal point. */
    private const VALUE = '/(?:(?<!\w)[\'"`]|'.self::OTHER_QUOTES.'|(?<=: )[-+]?\d|[-+]?\b\d+\.\d).*\z/s';

    private const OTHER_QUOTES = '\xC2[\xAB\xBB]|\xE2\x80[\x98-\x9F\xB9\xBA]|\xE3\x80[\x8C-\x8F]';

    /** In PostgreSQL's text, where the value of a parameter could not even be read. */
    private const PARAMETER = '/\nCONTEXT:.*\bportal parameter \$\d+/s';

    public static function isAboutParameter(string $text): bool
    {
        return preg_match(self::PARAMETER, $text) === 1;
    }

    /** @param ?int $code the driver's own */
    public static function withoutValues(string $text, string $sqlState, ?int $code): string
    {
        $class = substr($sqlState, 0, 2);

        if (self::isOfUsers($text, $class, $code)) {
            return self::RAISED;
        }

        if (in_array($class, self::NEVER_QUOTES, true)) {
            return self::firstLine($text);
        }

        if ($code === MysqlCodes::NO_PARTITION) {
            return self::NO_PARTITION;
        }

        // What looks like a name can be the value: a type of PostgreSQL takes the name of a table.
        $hasNames = $class === '23' || ! self::isAboutParameter($text);
        $hasNames = $hasNames && $code !== MysqlCodes::OUT_OF_RANGE_IN_EXPRESSION;

        return self::withKnownNames($text) ?? self::cutAtValue($text, $hasNames);
    }

    public static function firstLine(string $text): string
    {
        return rtrim(explode("\n", ltrim($text), 2)[0], ". \r");
    }

    private static function isOfUsers(string $text, string $class, ?int $code): bool
    {
        return in_array($class, self::RAISED_BY_USERS, true)
            || in_array($code, MysqlCodes::SIGNALS, true)
            || ($code === self::CONSTRAINT_OF_SQLITE && preg_match(self::OF_SQLITE, $text) !== 1)
            || preg_match(self::RAISE, $text) === 1;
    }

    private static function withKnownNames(string $text): ?string
    {
        // PostgreSQL's text goes on with the failing row itself. Whole first: a value in MariaDB's may have such lines.
        foreach ([$text, (string) preg_replace(self::BEHIND_THE_TEXT, '', $text)] as $said) {
            foreach (self::AROUND_A_VALUE as $pattern) {
                if (preg_match($pattern, $said, $parts) === 1) {
                    return "{$parts[1]} {$parts[2]}";
                }
            }

            if (preg_match(self::BEHIND_A_VALUE, $said, $parts) === 1) {
                return "ERROR:  value {$parts[1]}";
            }
        }

        return preg_match(self::EXPRESSION, $text, $parts) === 1 ? $parts[1].self::columnsOf($parts[2]) : null;
    }

    private static function columnsOf(string $expression): string
    {
        // A quoted text in it may be a value that looks like columns.
        $hasText = preg_match('/[\'"]/', $expression) === 1;

        if ($hasText || preg_match_all('/(?:`[^`]*`\.)*`[^`]*`/', $expression, $columns) < 1) {
            return '';
        }

        return ' in an expression of '.implode(' and ', array_unique($columns[0]));
    }

    private static function cutAtValue(string $text, bool $hasNames): string
    {
        $text = str_replace("\0", '', $text);
        preg_match_all(self::NAMES, $hasNames ? $text : '', $found);
        [$names, $number] = [$found[0], 0];
        $mark = static function () use (&$number): string {
            return "\0".$number++."\0";
        };
        $marked = $names === [] ? $text : preg_replace_callback(self::NAMES, $mark, $text);
        $kept = self::firstLine((string) preg_replace(self::VALUE, '…', $marked ?? '…'));

        return (string) preg_replace_callback(
            '/\0(\d+)\0/',
            static fn (array $match): string => $names[(int) $match[1]] ?? '',
            $kept,
        );
    }
}
