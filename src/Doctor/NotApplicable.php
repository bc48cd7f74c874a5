<?php

declare(strict_types=1);

namespace Headroom\Doctor;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * The thing does not exist here, such as nginx on a machine without it.
 */
final class NotApplicable extends RuntimeException implements HeadroomException
{
    /** @param string $what the reason, without a capital letter at its beginning */
    public static function of(string $what): self
    {
        return new self($what);
    }
}
