<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Support\HostName;

/**
 * Distinguishes two disks that have the same node id, such as a copied directory or a cloned image. The value changes
 * at each boot. Containers on one kernel that share the disk count as one machine, because file locks work between
 * them.
 *
 * @internal
 */
final readonly class MachineId
{
    private const BOOT_ID = '/proc/sys/kernel/random/boot_id';

    public static function of(string $root): string
    {
        clearstatcache();
        $stat = @stat("{$root}/node");
        $boot = trim((string) @file_get_contents(self::BOOT_ID));

        return substr(
            hash(
                'sha256',
                ($boot === '' ? HostName::own() : $boot).' '.($stat === false ? '' : "{$stat['dev']}:{$stat['ino']}"),
            ),
            0,
            32,
        );
    }
}
