<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Protobuf;

/**
 * What a field holds, and so how it is written on the wire and in JSON.
 *
 * @internal
 */
enum Kind
{
    case Text;
    case Bool;
    case Int32;
    case Uint32;
    case Int64;
    case Fixed32;
    case Fixed64;
    case Double;
    case Base64;

    /** Bytes that OTLP writes as hexadecimal digits in JSON, other than Protocol Buffers do. */
    case Hex;
    case Message;

    /** Whether only the lower 32 bits of its number count. */
    public function hasHalf(): bool
    {
        return $this === self::Int32 || $this === self::Uint32;
    }

    public function wireType(): int
    {
        return match ($this) {
            self::Bool, self::Int32, self::Uint32, self::Int64 => Wire::VARINT,
            self::Fixed64, self::Double => Wire::FIXED64,
            self::Fixed32 => Wire::FIXED32,
            self::Text, self::Base64, self::Hex, self::Message => Wire::BYTES,
        };
    }
}
