<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Protobuf;

/**
 * The type of a field, which determines its encoding on the wire and in JSON.
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

    /** Bytes that OTLP writes as hexadecimal digits in JSON, where the JSON mapping has base64. */
    case Hex;
    case Message;

    /** Whether only the lower 32 bits of the value count. */
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
