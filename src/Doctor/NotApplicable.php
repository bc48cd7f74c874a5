<?php

declare(strict_types=1);

namespace Headroom\Doctor;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * What was asked for is not here, such as nginx on a machine without it.
 */
final class NotApplicable extends RuntimeException implements HeadroomException
{
    public static function of(string $what): self
    {
        return new self($what);
    }
}
