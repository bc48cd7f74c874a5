<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Protobuf;

use function chr;
use function strlen;

/**
 * Writes fields in the wire format. Like proto3, it omits a field with its default value.
 *
 * @internal
 */
final readonly class WireWriter
{
    public static function varint(int $field, int $value): string
    {
        return $value === 0 ? '' : self::number($field << 3 | WireReader::VARINT).self::number($value);
    }

    public static function bytes(int $field, string $value): string
    {
        return $value === '' ? '' : self::number($field << 3 | WireReader::BYTES).self::number(strlen($value)).$value;
    }

    private static function number(int $value): string
    {
        $bytes = '';

        // The shift keeps the sign, so a negative number has all ten bytes.
        for ($count = 1; $count < 10 && ($value < 0 || $value > 0x7F); $count++) {
            $bytes .= chr($value & 0x7F | 0x80);
            $value = $value >> 7 & 0x01FFFFFFFFFFFFFF;
        }

        return $bytes.chr($value & 0x7F);
    }
}
