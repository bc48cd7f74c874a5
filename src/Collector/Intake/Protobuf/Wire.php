<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Protobuf;

use function ord;
use function strlen;
use function substr;
use function unpack;

/**
 * Reads the wire format of Protocol Buffers, one field at a time: https://protobuf.dev/programming-guides/encoding/
 *
 * @internal
 */
final readonly class Wire
{
    public const VARINT = 0;

    public const FIXED64 = 1;

    public const BYTES = 2;

    public const FIXED32 = 5;

    private const GROUP = 3;

    private const END_OF_GROUP = 4;

    /** As the parsers of Google allow. */
    private const MOST_GROUPS = 100;

    private const LARGEST_FIELD = 536_870_911;

    /**
     * @return iterable<array{int, int, int|string}> number of the field, wire type, and its value; groups are passed over.
     *                                               Integers have 64 bits, so that a large unsigned one is negative
     *
     * @throws Malformed
     */
    public static function fields(string $message): iterable
    {
        $at = 0;
        $length = strlen($message);

        while ($at < $length) {
            [$number, $type] = self::tag($message, $at);

            if ($type === self::GROUP) {
                self::passGroup($message, $at, $number, 1);
            } else {
                yield [$number, $type, self::value($message, $at, $type)];
            }
        }
    }

    /**
     * @return array{int, int}
     *
     * @throws Malformed
     */
    private static function tag(string $message, int &$at): array
    {
        $tag = self::varint($message, $at);
        $number = $tag >> 3;

        return $number >= 1 && $number <= self::LARGEST_FIELD
            ? [$number, $tag & 7]
            : throw Malformed::because("field {$number} does not exist", $at);
    }

    /** @throws Malformed */
    private static function value(string $message, int &$at, int $type): int|string
    {
        return match ($type) {
            self::VARINT => self::varint($message, $at),
            self::FIXED64 => self::integer('P', self::bytes($message, $at, 8)),
            self::BYTES => self::bytes($message, $at, self::varint($message, $at)),
            self::FIXED32 => self::integer('V', self::bytes($message, $at, 4)),
            default => throw Malformed::because("wire type {$type} does not exist here", $at),
        };
    }

    /** @throws Malformed */
    private static function varint(string $message, int &$at): int
    {
        $value = 0;

        for ($shift = 0; $shift < 70; $shift += 7) {
            $byte = ord($message[$at] ?? throw Malformed::because('it ends within a number', $at));
            $at++;
            // Of the tenth byte one bit is left.
            $value |= $shift < 63 ? ($byte & 0x7F) << $shift : ($byte & 1) << 63;

            if ($byte < 0x80) {
                return $value;
            }
        }

        throw Malformed::because('a number has more than ten bytes', $at);
    }

    /** @throws Malformed */
    private static function bytes(string $message, int &$at, int $length): string
    {
        if ($length < 0 || $length > strlen($message) - $at) {
            throw Malformed::because("it ends before the {$length} bytes of a field", $at);
        }

        $at += $length;

        return substr($message, $at - $length, $length);
    }

    /** @param 'P'|'V' $format of unpack() */
    private static function integer(string $format, string $bytes): int
    {
        $value = unpack($format, $bytes)[1] ?? 0;

        return is_int($value) ? $value : 0;
    }

    /** @throws Malformed */
    private static function passGroup(string $message, int &$at, int $group, int $level): void
    {
        if ($level > self::MOST_GROUPS) {
            throw Malformed::because('groups are nested too deep', $at);
        }

        do {
            [$number, $type] = self::tag($message, $at);

            match ($type) {
                self::GROUP => self::passGroup($message, $at, $number, $level + 1),
                self::END_OF_GROUP => $number === $group ? null : throw Malformed::because('a group ends that did not begin', $at),
                default => self::value($message, $at, $type),
            };
        } while ($type !== self::END_OF_GROUP);
    }
}
