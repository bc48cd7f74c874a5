<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Protobuf;

use Headroom\Collector\Ingest\RequestError;

use function ord;
use function strlen;
use function substr;
use function unpack;

/**
 * Reads the wire format of Protocol Buffers, one field at a time: https://protobuf.dev/programming-guides/encoding/
 *
 * @internal
 */
final class WireReader
{
    public const VARINT = 0;

    public const FIXED64 = 1;

    public const BYTES = 2;

    public const FIXED32 = 5;

    public const GROUP = 3;

    private const END_OF_GROUP = 4;

    /** The limit of Google's parsers. */
    private const MAX_GROUPS = 100;

    private const LARGEST_FIELD = 536_870_911;

    private int $left;

    private string $unread = '';

    /** @param int $most fields of one request; a field can have two bytes and takes as long as a larger one */
    public function __construct(private readonly int $most)
    {
        $this->left = $most;
    }

    /**
     * @return iterable<array{int, int, int|string}> number of the field, wire type and value, '' for a group.
     *     Integers have 64 bits, so a large unsigned one is negative
     *
     * @throws MalformedProtobuf
     * @throws RequestError there are too many of them
     */
    public function fields(string $message): iterable
    {
        $at = 0;
        $length = strlen($message);

        while ($at < $length) {
            $this->count();
            [$number, $type] = self::tag($message, $at);

            if ($type === self::GROUP) {
                $this->passGroup($message, $at, $number, 1);

                yield [$number, $type, ''];

                continue;
            }

            // Fast path: most fields are length-delimited, with a length of one byte.
            $size = $type === self::BYTES && $at < $length ? ord($message[$at]) : 0x80;

            if ($size < 0x80 && $at + $size < $length) {
                $from = $at + 1;
                $at = $from + $size;

                yield [$number, $type, substr($message, $from, $size)];
            } else {
                yield [$number, $type, self::value($message, $at, $type)];
            }
        }
    }

    /** Remembers the first field that is not stored. */
    public function pass(int $number, string $message): void
    {
        $this->unread = $this->unread === '' ? "field {$number} of {$message}" : $this->unread;
    }

    /** @return string the first field that is not stored; '' if all are stored */
    public function unread(): string
    {
        return $this->unread;
    }

    /** @throws RequestError */
    private function count(): void
    {
        if (--$this->left < 0) {
            throw RequestError::tooManyFields($this->most);
        }
    }

    /**
     * @return array{int, int}
     *
     * @throws MalformedProtobuf
     */
    private static function tag(string $message, int &$at): array
    {
        $tag = ord($message[$at] ?? "\xFF");

        if ($tag > 0x07 && $tag < 0x80) {
            $at++;

            return [$tag >> 3, $tag & 7];
        }

        $tag = self::varint($message, $at);
        $number = $tag >> 3;

        return $number >= 1 && $number <= self::LARGEST_FIELD
            ? [$number, $tag & 7]
            : throw MalformedProtobuf::because("field {$number} does not exist", $at);
    }

    /** @throws MalformedProtobuf */
    private static function value(string $message, int &$at, int $type): int|string
    {
        return match ($type) {
            self::VARINT => self::varint($message, $at),
            self::FIXED64 => self::integer('P', self::bytes($message, $at, 8)),
            self::BYTES => self::bytes($message, $at, self::varint($message, $at)),
            self::FIXED32 => self::integer('V', self::bytes($message, $at, 4)),
            default => throw MalformedProtobuf::because("wire type {$type} does not exist here", $at),
        };
    }

    /** @throws MalformedProtobuf */
    private static function varint(string $message, int &$at): int
    {
        $value = 0;

        for ($shift = 0; $shift < 70; $shift += 7) {
            $byte = ord($message[$at] ?? throw MalformedProtobuf::because('it ends within a number', $at));
            $at++;
            // The tenth byte has only one significant bit.
            $value |= $shift < 63 ? ($byte & 0x7F) << $shift : ($byte & 1) << 63;

            if ($byte < 0x80) {
                return $value;
            }
        }

        throw MalformedProtobuf::because('a number has more than ten bytes', $at);
    }

    /** @throws MalformedProtobuf */
    private static function bytes(string $message, int &$at, int $length): string
    {
        if ($length < 0 || $length > strlen($message) - $at) {
            throw MalformedProtobuf::because("it ends before the {$length} bytes of a field", $at);
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

    /**
     * @throws MalformedProtobuf
     * @throws RequestError
     */
    private function passGroup(string $message, int &$at, int $group, int $level): void
    {
        if ($level > self::MAX_GROUPS) {
            throw MalformedProtobuf::because('groups are nested too deep', $at);
        }

        do {
            $this->count();
            [$number, $type] = self::tag($message, $at);

            match ($type) {
                self::GROUP => $this->passGroup($message, $at, $number, $level + 1),
                self::END_OF_GROUP => $number === $group
                    ? null
                    : throw MalformedProtobuf::because('a group ends that did not begin', $at),
                default => self::value($message, $at, $type),
            };
        } while ($type !== self::END_OF_GROUP);
    }
}
