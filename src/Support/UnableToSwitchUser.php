<?php

declare(strict_types=1);

namespace Headroom\Support;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * @internal
 */
final class UnableToSwitchUser extends RuntimeException implements HeadroomException
{
    public static function of(string $user, string $reason): self
    {
        return new self("Root could not take on the rights of {$user} ({$reason}). Run this as {$user}, or with CAP_SETUID and CAP_SETGID.");
    }
}
