<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Dialect;

/**
 * Removes the values that a server quotes in an error message: they are user data, and messages go to logs.
 *
 * @internal
 */
final readonly class DriverMessage
{
    public const RAISED = 'a trigger or function raised an error';

    public const NO_PARTITION = 'Table has no partition for the value';

    /** SQLSTATE classes whose messages describe connections, locks and servers and never quote rows. */
    private const NEVER_QUOTES = ['08', '28', '40', '53', '55', '57'];

    /** Errors that a trigger or function raises: their text may contain anything. */
    private const RAISED_BY_USERS = ['45', 'P0'];

    /**
     * PL/pgSQL may raise an error with any SQLSTATE. Its context line names RAISE; the first word of that line depends
     * on the server's language.
     */
    private const RAISE = '~\n[^\s:]+: +[^\n]*PL/pgSQL[^\n]*\bRAISE\b(?:\n[^\n]*)*\z~';

    /** Messages of SQLite's own constraints. For a trigger, SQLite reports only the trigger's text. */
    private const OF_SQLITE =
        '/\A(?:(?:UNIQUE|NOT NULL|CHECK|FOREIGN KEY|PRIMARY KEY) constraint failed\b|constraint failed\z|'
        .'cannot store [A-Z]+ value in )/';

    private const CONSTRAINT_OF_SQLITE = 19;

    /**
     * Messages with useful text after the value. The value is matched greedily, so that a quote inside it cannot end
     * the match early; a column name may contain quotes.
     */
    private const AROUND_A_VALUE = [
        "/\A(Duplicate entry) '.*' (for key '.+')\z/s",
        "/\A(Incorrect [\w ]+ value): '.*' (for column '.+' at row \d+)\z/s",
        '/\A(Incorrect [\w ]+ value): \'.*\' (for column `.+` at row \d+)\z/s',
        "/\A(Invalid JSON text): \".*\" (at position \d+ in value for column '.+')\.?\z/s",
        '/\A(CONSTRAINT `.+`) (failed for `.+`)\z/s',
        '/\A(ERROR:  value) ".*" (is out of range for type [\w ]+)\z/s',
    ];

    /** Messages that begin with the value. */
    private const BEHIND_A_VALUE = '/\AERROR:  ".*" (is out of range for type [\w ]+|is not a valid \w+ digit)\z/s';

    private const EXPRESSION = '/\A([\w ]+ value is out of range) in \'(.*)\'\z/s';

    private const BEHIND_THE_TEXT = '/\n(?:DETAIL|CONTEXT|HINT|LINE \d+|QUERY):.*\z/s';

    /** A quoted word after one of these is a name. */
    private const NAMES =
        '/(?:\b(?:column|relation|table|constraint|key|field|in|schema|function|type|index|trigger|database|'
        .'sequence|view|role|user|domain|fails \(|REFERENCES|FOREIGN KEY \(|at)\s*|\.)'
        .'\K(?:\'[^\']*\'|"[^"]*"|`[^`]*`)/i';

    /** A quote of any language except an apostrophe, a number after a colon, or a number with a decimal point. */
    private const VALUE = '/(?:(?<!\w)[\'"`]|'.self::OTHER_QUOTES.'|(?<=: )[-+]?\d|[-+]?\b\d+\.\d).*\z/s';

    private const OTHER_QUOTES = '\xC2[\xAB\xBB]|\xE2\x80[\x98-\x9F\xB9\xBA]|\xE3\x80[\x8C-\x8F]';

    /** PostgreSQL could not parse the value of a parameter. */
    private const PARAMETER = '/\nCONTEXT:.*\bportal parameter \$\d+/s';

    public static function isAboutParameter(string $text): bool
    {
        return preg_match(self::PARAMETER, $text) === 1;
    }

    /** @param ?int $code error code of the driver */
    public static function withoutValues(string $text, string $sqlState, ?int $code): string
    {
        $class = substr($sqlState, 0, 2);

        if (self::isRaisedByUser($text, $class, $code)) {
            return self::RAISED;
        }

        if (in_array($class, self::NEVER_QUOTES, true)) {
            return self::firstLine($text);
        }

        if ($code === MysqlCodes::NO_PARTITION) {
            return self::NO_PARTITION;
        }

        // A text that looks like a name can be the value: the type regclass, for example, takes the name of a table.
        $hasNames = $class === '23' || ! self::isAboutParameter($text);
        $hasNames = $hasNames && $code !== MysqlCodes::OUT_OF_RANGE_IN_EXPRESSION;

        return self::withKnownNames($text) ?? self::cutAtValue($text, $hasNames);
    }

    public static function firstLine(string $text): string
    {
        return rtrim(explode("\n", ltrim($text), 2)[0], ". \r");
    }

    private static function isRaisedByUser(string $text, string $class, ?int $code): bool
    {
        return in_array($class, self::RAISED_BY_USERS, true)
            || in_array($code, MysqlCodes::SIGNALS, true)
            || ($code === self::CONSTRAINT_OF_SQLITE && preg_match(self::OF_SQLITE, $text) !== 1)
            || preg_match(self::RAISE, $text) === 1;
    }

    private static function withKnownNames(string $text): ?string
    {
        // PostgreSQL's message continues with the failing row. Try the whole text first: a value in a message of
        // MariaDB may have lines of that form.
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
        // A quoted text in the expression may be a value that looks like a column.
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
