<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use RuntimeException;

/**
 * The kernel lets no file of this process grow beyond a size: what is written beyond it is written in part, as on a
 * disk that has just become full, and no privilege is needed.
 */
final readonly class Room
{
    /** @param ?int $bytes null is no end */
    public static function endsAt(?int $bytes): void
    {
        pcntl_signal(SIGXFSZ, SIG_IGN);

        if (! posix_setrlimit(POSIX_RLIMIT_FSIZE, $bytes ?? POSIX_RLIMIT_INFINITY, POSIX_RLIMIT_INFINITY)) {
            throw new RuntimeException('RLIMIT_FSIZE cannot be set.');
        }
    }
}
