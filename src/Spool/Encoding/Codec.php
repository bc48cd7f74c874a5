<?php

declare(strict_types=1);

namespace Headroom\Spool\Encoding;

use Closure;
use DateTimeImmutable;
use DateTimeInterface;
use Headroom\Core\Bytes;
use Headroom\Core\Date;
use Headroom\Core\Dates;
use Headroom\Core\Json;
use Headroom\Core\Rows;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\Utf8;
use JsonSerializable;
use Stringable;
use UnitEnum;

use function count;
use function in_array;
use function is_array;
use function is_bool;
use function is_float;
use function is_int;
use function is_string;
use function json_encode;
use function str_starts_with;
use function strlen;
use function substr;

/**
 * Encodes an event as one line of JSON and decodes such a line; docs/spool-format.md, "A line".
 *
 * A column's value is a JSON scalar or a tag: an object whose one key names the type. A structured value travels as
 * JSON text inside a tag, so no value of a user can be mistaken for a tag, and SQL gets the exact text that
 * json_encode() returned.
 *
 * @internal
 */
final readonly class Codec
{
    public const MAX_EVENT_BYTES = 1_048_576;

    /**
     * Longest line that is decoded. It is twice the limit of an event, which leaves room for the event's own id. There
     * is a limit because a decoded array takes a multiple of the memory of its text. This constant and FLAGS are plain
     * numbers because PHP evaluates a constant expression again in each request.
     */
    public const MAX_LINE_BYTES = 2_097_152;

    /** No table has more than about 4,000 columns, and decodeRows() builds one array per column. */
    private const MAX_COLUMNS = 4_096;

    /**
     * The end of one row and the start of the next within a line. Between two lines stands a line feed, which is not
     * matched.
     */
    private const TWO_ROWS = '/\}[ \t\r]*+,[ \t\r]*+\{[ \t\r]*+"/';

    /** JSON_UNESCAPED_UNICODE, _SLASHES and _LINE_TERMINATORS, and JSON_PRESERVE_ZERO_FRACTION. */
    public const FLAGS = 3_392;

    /** A copy of the format in Core\Date, so that a request need not load that class. */
    private const DATE = 'Y-m-d\TH:i:s.uP';

    /**
     * @param ?Utf8 $utf8 null means Replace; a request whose strings are all valid UTF-8 never loads the enum
     * @param ?Closure(string): bool $isBinary tells whether a column holds bytes; a string that was altered to be UTF-8
     *     is rejected there
     */
    public function __construct(private ?Utf8 $utf8 = null, private ?Closure $isBinary = null) {}

    /**
     * @param array<array-key, mixed> $row
     *
     * @throws InvalidEvent
     */
    public function encode(array $row): string
    {
        if ($row === []) {
            throw InvalidEvent::isEmpty();
        }

        foreach ($row as $column => $value) {
            if (! is_string($column) || $column === '') {
                throw InvalidEvent::notAMap($column);
            }

            // json_encode() writes strings, integers, booleans and null as they are. Other types are rare: they cost a
            // call.
            if (! is_string($value) && ! is_int($value) && ! is_bool($value) && $value !== null) {
                $row[$column] = $this->value($column, $value);
            }
        }

        $line = json_encode($row, self::FLAGS);

        if ($line === false) {
            $line = $this->encodeInvalidUtf8($row);
        }

        return strlen($line) <= self::MAX_EVENT_BYTES
            ? $line
            : throw InvalidEvent::tooLarge(strlen($line), self::MAX_EVENT_BYTES);
    }

    /**
     * @return array{non-empty-array<string, scalar|null|Json|Bytes|DateTimeImmutable>, ?string, int} the row, the
     *     event's own id, the number of values that were altered to be UTF-8
     *
     * @throws UnableToDecode
     */
    public function decode(string $line): array
    {
        [$row, $ownId, $replaced] = $this->decodeRow($line);

        return [self::withDates($row), $ownId, $replaced];
    }

    /**
     * @param non-empty-array<string, scalar|null|Json|Bytes|Date|DateTimeImmutable> $row
     * @return non-empty-array<string, scalar|null|Json|Bytes|DateTimeImmutable>
     */
    public static function withDates(array $row): array
    {
        return array_map(
            static fn (mixed $value): mixed => $value instanceof Date ? $value->toDateTime() : $value,
            $row,
        );
    }

    /**
     * Does the same as decode(), and leaves each date in its written form.
     *
     * @return array{non-empty-array<string, scalar|null|Json|Bytes|Date|DateTimeImmutable>, ?string, int}
     *
     * @throws UnableToDecode
     */
    public function decodeRow(string $line): array
    {
        if (strlen($line) > self::MAX_LINE_BYTES) {
            throw UnableToDecode::tooLong(strlen($line), self::MAX_LINE_BYTES);
        }

        $row = json_decode($line, true, 4);
        [$ownId, $replaced] = [null, 0];

        // A line is a row, or [id, row] when the event has an id of its own.
        if (is_array($row) && array_is_list($row) && count($row) === 2 && is_string($row[0])) {
            [$ownId, $row] = $row;
        }

        if (! is_array($row) || array_is_list($row)) {
            throw UnableToDecode::notARow(strlen($line));
        }

        // The codec writes no row with an empty or a numeric column name, and no sink could accept one.
        if (! self::areColumnNames(array_keys($row))) {
            throw UnableToDecode::notARow(strlen($line));
        }

        foreach ($row as $column => $value) {
            // In a binary bucket each string becomes Bytes: its type must not depend on whether the bytes happen to be
            // UTF-8.
            $row[$column] = is_string($value) && $this->utf8 === Utf8::Binary
                ? new Bytes($value)
                : $this->untag($column, $value, $line, $replaced);
        }

        /** @var non-empty-array<string, scalar|null|Json|Bytes|Date|DateTimeImmutable> $row of scalars and tags */
        return [$row, $ownId, $replaced];
    }

    /**
     * Decodes many lines with one call of json_decode(). That works in the usual case: the rows have the same columns
     * in the same order and no id of their own.
     *
     * @param non-empty-list<string> $lines
     * @param int $replaced is increased by the number of values that were altered to be UTF-8
     * @return ?Rows null when the rows differ in columns or a line cannot be decoded: decodeRow() tells which line
     */
    public function decodeRows(array $lines, int &$replaced): ?Rows
    {
        $text = implode(",\n", $lines);
        // Forged lines could join into one row while a third line holds two rows. The number of rows would equal the
        // number of lines, and no writer wrote these rows.
        $rows = $this->utf8 === Utf8::Binary || preg_match(self::TWO_ROWS, $text) !== 0
            ? null
            : json_decode("[{$text}]", true, 5);
        $names = is_array($rows) && is_array($rows[0] ?? null) ? array_keys($rows[0]) : [];

        if (
            ! is_array($rows)
            || count($rows) !== count($lines)
            || $names === []
            || count($names) > self::MAX_COLUMNS
            || ! self::areColumnNames($names)
        ) {
            return null;
        }

        foreach ($rows as $row) {
            if (! is_array($row) || array_keys($row) !== $names) {
                return null;
            }
        }

        [$columns, $altered] = [[], 0];

        try {
            foreach ($names as $name) {
                $values = array_column($rows, $name);
                $columns[$name] = self::dates($values) ?? $this->untagged($name, $values, $lines, $altered);
            }
        } catch (UnableToDecode) {
            return null;
        }

        $replaced += $altered;

        return Rows::ofColumns($columns);
    }

    /**
     * PHP turns an array key that looks like an integer into an integer.
     *
     * @param list<array-key> $names
     *
     * @phpstan-assert-if-true list<non-empty-string> $names
     */
    private static function areColumnNames(array $names): bool
    {
        return array_filter($names, is_string(...)) === $names && ! in_array('', $names, true);
    }

    /**
     * @param list<mixed> $values
     * @return ?Dates null when one of the values is not a date
     */
    private static function dates(array $values): ?Dates
    {
        if (! is_array($values[0] ?? null)) {
            return null;
        }

        $texts = array_values(array_filter(array_column($values, 'd'), is_string(...)));

        // The recursive count includes each tag and its members, so it is twice the count when each tag has one member.
        return count($texts) === count($values) && count($values, COUNT_RECURSIVE) === 2 * count($values)
            ? Dates::parse($texts)
            : null;
    }

    /**
     * @param list<mixed> $values
     * @param list<string> $lines
     * @return list<scalar|null|Json|Bytes|Date|DateTimeImmutable>
     *
     * @throws UnableToDecode
     */
    private function untagged(string $column, array $values, array $lines, int &$replaced): array
    {
        foreach ($values as $number => $value) {
            if (is_array($value)) {
                $values[$number] = $this->untag($column, $value, $lines[$number], $replaced);
            }
        }

        /** @var list<scalar|null|Json|Bytes|Date|DateTimeImmutable> $values a line has scalars and tags only */
        return $values;
    }

    /** @return int|string|float|array<string, mixed> */
    private function value(string $column, mixed $value): int|string|float|array
    {
        return match (true) {
            is_float($value) => $this->float($column, $value),
            // A Json or a Date holds text already, and the code that made it has checked that text.
            $value instanceof Json => ['j' => $value->text],
            $value instanceof Date => ['d' => $value->text],
            $value instanceof DateTimeInterface => $this->date($column, $value),
            $value instanceof UnitEnum => StructuredValue::ofEnum($value),
            $value instanceof JsonSerializable && ! $value instanceof Stringable,
            is_array($value) => $this->structured($column, $value),
            $value instanceof Stringable => StructuredValue::ofStringable($column, $value),
            default => throw InvalidEvent::typeNotAllowed($column, $value),
        };
    }

    /** @return float|array<string, mixed> */
    private function float(string $column, float $value): float|array
    {
        if (! is_finite($value)) {
            throw InvalidEvent::notFinite($column, $value);
        }

        // With fewer digits json_encode() would round the value. 'h' is 'g' without the locale's decimal comma.
        return in_array(ini_get('serialize_precision'), ['-1', '17'], true)
            ? $value
            : ['f' => sprintf('%.17h', $value)];
    }

    /** @return array<string, mixed> */
    private function date(string $column, DateTimeInterface $value): array
    {
        // Carbon's own format() costs ten times as much. One call of format() serves the text and the check of its
        // length.
        $date = DateTimeImmutable::createFromInterface($value);
        $text = $date->format(self::DATE);
        $offset = $date->getOffset();

        // The text has 32 bytes exactly when its year has four digits.
        if (strlen($text) !== 32 || str_starts_with($text, '0000')) {
            throw InvalidEvent::yearOutOfRange($column, $date->format('Y'));
        }

        // A local mean time, from before there were time zones, has an offset with seconds. 'P' reads these and omits
        // them in its output.
        return [
            'd' => $offset % 60 === 0
                ? $text
                : substr($text, 0, -6).($offset < 0 ? '-' : '+').gmdate('H:i:s', abs($offset)),
        ];
    }

    /** @return array<string, mixed> */
    private function structured(string $column, mixed $value): array
    {
        $structured = StructuredValue::of($column, $value, $this->utf8 ?? Utf8::Replace);

        return $structured->replaced > 0
            ? ['j' => $structured->text, 'r' => $structured->replaced]
            : ['j' => $structured->text];
    }

    /** @param non-empty-array<string, mixed> $row */
    private function encodeInvalidUtf8(array $row): string
    {
        foreach ($row as $column => $value) {
            if (! mb_check_encoding($column, 'UTF-8')) {
                throw InvalidEvent::notUtf8(StructuredValue::scrub($column), 'A column name must be.');
            }

            if (is_string($value) && ! mb_check_encoding($value, 'UTF-8')) {
                $row[$column] = match ($this->utf8 ?? Utf8::Replace) {
                    Utf8::Replace => ['r' => StructuredValue::scrub($value)],
                    Utf8::Binary => ['b' => base64_encode($value)],
                    Utf8::Refuse => throw InvalidEvent::notUtf8(
                        $column,
                        "The bucket's utf8 option is 'refuse'; 'replace' and 'binary' would take it.",
                    ),
                };
            }
        }

        $line = json_encode($row, self::FLAGS);

        return $line !== false ? $line : throw InvalidEvent::refusedToEncode('', json_last_error_msg());
    }

    private function untag(string $column, mixed $tag, string $line, int &$replaced): mixed
    {
        if (! is_array($tag)) {
            return $tag;
        }

        $value = reset($tag);
        $decoded = is_string($value) ? match (array_key_first($tag)) {
            'j' => new Json($value),
            'r' => $value,
            'd' => Date::parse($value) ?? false,
            'b' => ($bytes = base64_decode($value, true)) === false ? false : new Bytes($bytes),
            'f' => is_numeric($value) ? (float) $value : false,
            default => false,
        } : false;

        if ($decoded === false) {
            throw UnableToDecode::unknownTag(is_string($key = array_key_first($tag)) ? $key : '', strlen($line));
        }

        if (
            array_key_first($tag) === 'r'
            && $this->isBinary !== null
            && $this->utf8 !== Utf8::Binary
            && ($this->isBinary)($column)
        ) {
            throw UnableToDecode::bytesReplaced($column);
        }

        if (isset($tag['r'])) {
            $replaced += is_int($tag['r']) ? $tag['r'] : 1;
        }

        return $decoded;
    }
}
