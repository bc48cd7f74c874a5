<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Protobuf;

/**
 * What a field holds, and so how it is written on the wire and in JSON.
 *
 * @internal
 */
enum FieldType
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
            self::Bool, self::Int32, self::Uint32, self::Int64 => WireReader::VARINT,
            self::Fixed64, self::Double => WireReader::FIXED64,
            self::Fixed32 => WireReader::FIXED32,
            self::Text, self::Base64, self::Hex, self::Message => WireReader::BYTES,
        };
    }
}
