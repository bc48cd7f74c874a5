<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * @internal
 */
final class UnableToRecord extends RuntimeException implements HeadroomException
{
    public static function notWritten(string $path): self
    {
        return new self(
            "The alerts were not sent: neither {$path} nor a file in the system's temporary directory can be written,"
                .' so each check would send them again. Let this user write one of them.',
        );
    }

    public static function locked(string $path): self
    {
        return new self("The alerts were not sent: another process has {$path} locked. The next check tries again.");
    }
}
