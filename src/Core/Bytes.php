<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * A string value that may not be UTF-8 and is to arrive byte for byte.
 */
final readonly class Bytes
{
    public function __construct(public string $value) {}
}
