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

use function array_column;
use function array_filter;
use function array_is_list;
use function array_key_first;
use function array_keys;
use function array_map;
use function array_values;
use function count;
use function implode;
use function in_array;
use function is_array;
use function is_bool;
use function is_float;
use function is_int;
use function is_string;
use function json_decode;
use function json_encode;
use function preg_match;
use function reset;
use function str_starts_with;
use function strlen;
use function substr;

/**
 * One event to one line of JSON and back; docs/spool-format.md, "A line".
 *
 * A column's value is a JSON scalar, or an object with one key that says what it is: a tag. Structured values travel as
 * JSON text inside a tag, so no value of a user can be mistaken for one, and SQL gets the very text that
 * json_encode() gave.
 *
 * @internal
 */
final readonly class Codec
{
    public const MAX_EVENT_BYTES = 1_048_576;

    /**
     * What is read, twice an event with room for an id of its own: an array takes a multiple of the memory that its text does.
     * This one and FLAGS are numbers because PHP computes what a constant is made of anew in each request.
     */
    public const MAX_LINE_BYTES = 2_097_152;

    /** No table has more than some 4,000, and an array for each takes memory. */
    private const MOST_COLUMNS = 4_096;

    /** Where one row would end and another begin within a line: a list of lines has a line feed there. */
    private const TWO_ROWS = '/\}[ \t\r]*+,[ \t\r]*+\{[ \t\r]*+"/';

    /** JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_LINE_TERMINATORS | JSON_PRESERVE_ZERO_FRACTION */
    public const FLAGS = 3_392;

    /** As Core\Date has it, which a request does not load. */
    private const DATE = 'Y-m-d\TH:i:s.uP';

    /**
     * @param ?Utf8 $utf8 null is Replace, of which a request that has only proper strings knows nothing
     * @param ?Closure(string): bool $holdsBytes whether a column is none for text, so that a string which was altered must not be read for it
     */
    public function __construct(private ?Utf8 $utf8 = null, private ?Closure $holdsBytes = null) {}

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

            // Strings, integers, booleans and null need nothing; the rest is rare enough to pay for a call.
            if (! is_string($value) && ! is_int($value) && ! is_bool($value) && $value !== null) {
                $row[$column] = $this->value($column, $value);
            }
        }

        $line = json_encode($row, self::FLAGS);

        if ($line === false) {
            $line = $this->encodeWithBrokenStrings($row);
        }

        return strlen($line) <= self::MAX_EVENT_BYTES ? $line : throw InvalidEvent::tooLarge(strlen($line), self::MAX_EVENT_BYTES);
    }

    /**
     * @return array{non-empty-array<string, scalar|null|Json|Bytes|DateTimeImmutable>, ?string, int} the row, the event's own id, how many values were altered to be UTF-8
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
        return array_map(static fn (mixed $value): mixed => $value instanceof Date ? $value->toDateTime() : $value, $row);
    }

    /**
     * The same with the dates as they are written.
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

        // A line is a row, or [id, row] when the event brought an id of its own.
        if (is_array($row) && array_is_list($row) && count($row) === 2 && is_string($row[0])) {
            [$ownId, $row] = $row;
        }

        if (! is_array($row) || array_is_list($row)) {
            throw UnableToDecode::notARow(strlen($line));
        }

        // No codec writes such a row, and no sink could take it.
        if (! self::areNames(array_keys($row))) {
            throw UnableToDecode::notARow(strlen($line));
        }

        foreach ($row as $column => $value) {
            // That a string's bytes happen to be UTF-8 must not change how they travel.
            $row[$column] = is_string($value) && $this->utf8 === Utf8::Binary ? new Bytes($value) : $this->untag($column, $value, $line, $replaced);
        }

        /** @var non-empty-array<string, scalar|null|Json|Bytes|Date|DateTimeImmutable> $row a line has scalars and tags only */
        return [$row, $ownId, $replaced];
    }

    /**
     * Many lines in one go, as they mostly come: rows with the same columns in the same order, without an id of their own.
     *
     * @param non-empty-list<string> $lines
     * @param int $replaced how many values were altered to be UTF-8, added to
     * @return ?Rows null when these are not, or one of them can not be read: decodeRow() tells which
     */
    public function decodeRows(array $lines, int &$replaced): ?Rows
    {
        $text = implode(",\n", $lines);
        // Two lines can make one row together and a third one two: as many rows as lines again, and none of them was written.
        $rows = $this->utf8 === Utf8::Binary || preg_match(self::TWO_ROWS, $text) !== 0 ? null : json_decode("[{$text}]", true, 5);
        $names = is_array($rows) && is_array($rows[0] ?? null) ? array_keys($rows[0]) : [];

        if (! is_array($rows) || count($rows) !== count($lines) || $names === [] || count($names) > self::MOST_COLUMNS || ! self::areNames($names)) {
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
     * PHP makes an integer of a name that looks like one.
     *
     * @param list<array-key> $names
     *
     * @phpstan-assert-if-true list<non-empty-string> $names
     */
    private static function areNames(array $names): bool
    {
        return array_filter($names, is_string(...)) === $names && ! in_array('', $names, true);
    }

    /**
     * @param list<mixed> $values
     * @return ?Dates null when there is anything else among them
     */
    private static function dates(array $values): ?Dates
    {
        if (! is_array($values[0] ?? null)) {
            return null;
        }

        $texts = array_values(array_filter(array_column($values, 'd'), is_string(...)));

        // Each is a tag with nothing else in it.
        return count($texts) === count($values) && count($values, COUNT_RECURSIVE) === 2 * count($values) ? Dates::parse($texts) : null;
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
            // What is text already, and was checked by whoever made it so.
            $value instanceof Json => ['j' => $value->text],
            $value instanceof Date => ['d' => $value->text],
            $value instanceof DateTimeInterface => $this->date($column, $value),
            $value instanceof UnitEnum => StructuredValue::ofEnum($value),
            $value instanceof JsonSerializable && ! $value instanceof Stringable, is_array($value) => $this->structured($column, $value),
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

        // With fewer digits json_encode() would change it. 'h' is 'g' without the locale's decimal comma.
        return in_array(ini_get('serialize_precision'), ['-1', '17'], true) ? $value : ['f' => sprintf('%.17h', $value)];
    }

    /** @return array<string, mixed> */
    private function date(string $column, DateTimeInterface $value): array
    {
        // Not Carbon's own format(), which costs ten times as much; and one call for all that is asked.
        $date = DateTimeImmutable::createFromInterface($value);
        $text = $date->format(self::DATE);
        $offset = $date->getOffset();

        // With a year of four digits it has this length.
        if (strlen($text) !== 32 || str_starts_with($text, '0000')) {
            throw InvalidEvent::yearOutOfRange($column, $date->format('Y'));
        }

        // Local mean times, before there were time zones, have offsets with seconds, which 'P' reads but does not write.
        return ['d' => $offset % 60 === 0 ? $text : substr($text, 0, -6).($offset < 0 ? '-' : '+').gmdate('H:i:s', abs($offset))];
    }

    /** @return array<string, mixed> */
    private function structured(string $column, mixed $value): array
    {
        $structured = StructuredValue::of($column, $value, $this->utf8 ?? Utf8::Replace);

        return $structured->replaced > 0 ? ['j' => $structured->text, 'r' => $structured->replaced] : ['j' => $structured->text];
    }

    /** @param non-empty-array<string, mixed> $row */
    private function encodeWithBrokenStrings(array $row): string
    {
        foreach ($row as $column => $value) {
            if (! mb_check_encoding($column, 'UTF-8')) {
                throw InvalidEvent::notUtf8(StructuredValue::scrub($column), 'A column name must be.');
            }

            if (is_string($value) && ! mb_check_encoding($value, 'UTF-8')) {
                $row[$column] = match ($this->utf8 ?? Utf8::Replace) {
                    Utf8::Replace => ['r' => StructuredValue::scrub($value)],
                    Utf8::Binary => ['b' => base64_encode($value)],
                    Utf8::Refuse => throw InvalidEvent::notUtf8($column, "The bucket's utf8 option is 'refuse'; 'replace' and 'binary' would take it."),
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

        if (array_key_first($tag) === 'r' && $this->holdsBytes !== null && $this->utf8 !== Utf8::Binary && ($this->holdsBytes)($column)) {
            throw UnableToDecode::bytesReplaced($column);
        }

        if (isset($tag['r'])) {
            $replaced += is_int($tag['r']) ? $tag['r'] : 1;
        }

        return $decoded;
    }
}
