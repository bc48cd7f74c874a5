<?php

declare(strict_types=1);

namespace Headroom\Laravel\Log;

use JsonSerializable;

/**
 * A JSON object, also where it is empty or a list: a field that is now an object and now a list is refused by an index.
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
