<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\Date;
use Headroom\Core\Json;
use Headroom\Core\Rows;

/**
 * A row of scalars only, for a callback that inserts rows itself. Each value has the form in which a database sink
 * would have bound it.
 *
 * @internal
 *
 * @phpstan-import-type Row from Rows
 */
final readonly class PlainRow
{
    /**
     * @param Row $row
     * @return non-empty-array<string, scalar|null>
     */
    public static function of(array $row): array
    {
        return array_map(static fn (mixed $value): mixed => match (true) {
            $value instanceof Date, $value instanceof DateTimeImmutable => $value->format(Date::SQL),
            $value instanceof Json => $value->text,
            $value instanceof Bytes => $value->value,
            default => $value,
        }, $row);
    }

    /**
     * Serializes the row in a single line, which unserialize() reads.
     *
     * @param Row $row
     */
    public static function serialized(array $row): string
    {
        $row = self::of($row);
        $event = ['payload' => $row];
        // serialize() writes a float with the number of digits that this setting allows.
        $isExact = in_array(ini_get('serialize_precision'), ['-1', '17'], true);
        $text = $isExact ? serialize($event) : self::text($event);

        return strpbrk($text, "\r\n") === false ? $text : self::withEscapedLineBreaks($row);
    }

    /**
     * Writes an object in the place of the row. The object holds the escaped row and a reference to its own place,
     * which is value 2 in the count of unserialize(). PHP's own escaped strings (`S:`) are not used, because PHP 8.4
     * deprecates them.
     *
     * @param non-empty-array<string, scalar|null> $row
     */
    private static function withEscapedLineBreaks(array $row): string
    {
        $class = 'O:'.strlen(RowWithLineBreaks::class).':"'.RowWithLineBreaks::class.'"';
        $escaped = self::text(RowWithLineBreaks::escaped($row));

        return "a:1:{s:7:\"payload\";{$class}:2:{i:0;{$escaped}i:1;R:2;}}";
    }

    private static function text(mixed $value): string
    {
        return match (true) {
            is_array($value) => 'a:'.count($value).':{'
                .implode(
                    '',
                    array_map(
                        static fn (mixed $key, mixed $item): string => self::text($key).self::text($item),
                        array_keys($value),
                        $value,
                    ),
                )
                .'}',
            is_string($value) => 's:'.strlen($value).":\"{$value}\";",
            is_int($value) => "i:{$value};",
            // 'h' is 'g' without the locale's decimal comma.
            is_float($value) => sprintf('d:%.17h;', $value),
            is_bool($value) => 'b:'.(int) $value.';',
            default => 'N;',
        };
    }
}
