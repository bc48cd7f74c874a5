<?php

declare(strict_types=1);

namespace Headroom\Spool\Callback;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\Date;
use Headroom\Core\Json;
use Headroom\Core\Rows;
use Headroom\Spool\RowWithLineBreaks;

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

        // PHP writes a float with as many digits as this setting says.
        $text = in_array(ini_get('serialize_precision'), ['-1', '17'], true) ? serialize(['payload' => $row]) : self::text(['payload' => $row]);

        return strpbrk($text, "\r\n") === false ? $text : self::inOneLine($row);
    }

    /**
     * Where the row belongs stands an object, with the row in it and a reference to the place of the object itself: 2, as PHP
     * counts what it reads. The escaped strings that PHP's format has (`S:`) are deprecated from PHP 8.4 on.
     *
     * @param non-empty-array<string, scalar|null> $row
     */
    private static function inOneLine(array $row): string
    {
        $class = RowWithLineBreaks::class;

        return 'a:1:{s:7:"payload";O:'.strlen($class).":\"{$class}\":2:{i:0;".self::text(RowWithLineBreaks::escaped($row)).'i:1;R:2;}}';
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
