<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Protobuf;

/**
 * @internal
 */
final readonly class Field
{
    /**
     * @param ?MessageType $message of which type it is, where it is one
     * @param bool $isOneOf whether setting it unsets the other fields of its message that are one of them
     */
    public function __construct(
        public string $name,
        public FieldType $kind,
        public ?MessageType $message = null,
        public bool $isRepeated = false,
        public bool $isOneOf = false,
    ) {}
}
