<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Protobuf;

/**
 * @internal
 */
final readonly class Field
{
    /**
     * @param ?MessageType $message type of an embedded message
     * @param bool $isOneOf whether it belongs to the oneof of its message
     */
    public function __construct(
        public string $name,
        public FieldType $kind,
        public ?MessageType $message = null,
        public bool $isRepeated = false,
        public bool $isOneOf = false,
    ) {}
}
