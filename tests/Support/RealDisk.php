<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Headroom\Spool\FileStore\FilesystemProbe;
use PHPUnit\Framework\Assert;

/**
 * Debian 13 keeps /tmp in memory, which is no place for an event that is to survive a power cut.
 */
final readonly class RealDisk
{
    /** Skips the test by name where temporary files lie in memory. */
    public static function isNeeded(): void
    {
        $type = (new FilesystemProbe(sys_get_temp_dir()))->type();

        if (in_array($type, ['tmpfs', 'ramfs'], true)) {
            Assert::markTestSkipped(
                'Temporary files lie in memory here ('.sys_get_temp_dir()
                    ." is {$type}): TMPDIR names another directory.",
            );
        }
    }
}
