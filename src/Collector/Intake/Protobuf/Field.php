<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Protobuf;

/**
 * @internal
 */
final readonly class Field
{
    /**
     * @param ?Message $message of which type it is, where it is one
     * @param bool $isOneOf whether setting it unsets the other fields of its message that are one of them
     */
    public function __construct(
        public string $name,
        public Kind $kind,
        public ?Message $message = null,
        public bool $isRepeated = false,
        public bool $isOneOf = false,
    ) {}
}
