<?php

declare(strict_types=1);

namespace Headroom\Laravel\Log;

use JsonSerializable;

/**
 * Always encodes as a JSON object, even if it is empty or a list: an index rejects a field that is sometimes an object
 * and sometimes a list.
 *
 * @internal
 */
final readonly class LogFields implements JsonSerializable
{
    /** @param array<array-key, mixed> $members */
    public function __construct(private array $members) {}

    public function jsonSerialize(): object
    {
        return (object) $this->members;
    }
}
