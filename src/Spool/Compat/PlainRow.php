<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\Date;
use Headroom\Core\Json;
use Headroom\Core\Rows;

/**
 * A row as somebody writes it who inserts it himself: nothing but scalars, each as an insert of the same value would have
 * bound it.
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
     * As unserialize() reads it, in a single line.
     *
     * @param Row $row
     */
    public static function serialized(array $row): string
    {
        $row = self::of($row);
        $event = ['payload' => $row];
        // PHP writes a float with as many digits as this setting says.
        $isExact = in_array(ini_get('serialize_precision'), ['-1', '17'], true);
        $text = $isExact ? serialize($event) : self::text($event);

        return strpbrk($text, "\r\n") === false ? $text : self::inOneLine($row);
    }

    /**
     * An object takes the row's place. It has the row in it, and a reference to that place: 2, as PHP counts the values
     * that it reads. PHP's own format has escaped strings (`S:`), which PHP 8.4 deprecates.
     *
     * @param non-empty-array<string, scalar|null> $row
     */
    private static function inOneLine(array $row): string
    {
        $class = 'O:'.strlen(RowWithLineBreaks::class).':"'.RowWithLineBreaks::class.'"';
        $escaped = self::text(RowWithLineBreaks::escaped($row));

        return "a:1:{s:7:\"payload\";{$class}:2:{i:0;{$escaped}i:1;R:2;}}";
    }

    private static function text(mixed $value): string
    {
        return match (true) {
            is_array($value) => 'a:'.count($value).':{'.implode('', array_map(static fn (mixed $key, mixed $item): string => self::text($key).self::text($item), array_keys($value), $value)).'}',
            is_string($value) => 's:'.strlen($value).":\"{$value}\";",
            is_int($value) => "i:{$value};",
            // 'h' is 'g' without the locale's decimal comma.
            is_float($value) => sprintf('d:%.17h;', $value),
            is_bool($value) => 'b:'.(int) $value.';',
            default => 'N;',
        };
    }
}
