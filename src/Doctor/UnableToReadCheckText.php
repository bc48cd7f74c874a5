<?php

declare(strict_types=1);

namespace Headroom\Doctor;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * The text of a check is missing or damaged.
 */
final class UnableToReadCheckText extends RuntimeException implements HeadroomException
{
    public static function because(string $file, string $reason): self
    {
        return new self("The text of a check, {$file}, cannot be read: {$reason}. Install the package again.");
    }
}
