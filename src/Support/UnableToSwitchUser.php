<?php

declare(strict_types=1);

namespace Headroom\Support;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * Root could not switch to the user that owns a directory.
 *
 * @internal
 */
final class UnableToSwitchUser extends RuntimeException implements HeadroomException
{
    public static function of(string $user, string $reason): self
    {
        return new self(
            "Root could not switch to the user {$user} ({$reason}). Run this as {$user}, or with CAP_SETUID and"
                .' CAP_SETGID.',
        );
    }
}
