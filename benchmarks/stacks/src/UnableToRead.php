<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

use RuntimeException;

final class UnableToRead extends RuntimeException
{
    public static function because(string $reason): self
    {
        return new self($reason);
    }
}
