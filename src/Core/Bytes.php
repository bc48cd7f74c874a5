<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * A string that may not be valid UTF-8. Sinks store it byte for byte.
 */
final readonly class Bytes
{
    public function __construct(public string $value) {}
}
