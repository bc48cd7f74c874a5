<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

use RuntimeException;

/** @internal */
final class UnableToWrap extends RuntimeException
{
    public static function because(string $reason): self
    {
        return new self("The file stays as it is: {$reason}");
    }
}
