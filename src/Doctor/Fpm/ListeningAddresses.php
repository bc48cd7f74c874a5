<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\Sockets\TcpTable;
use Headroom\Host\Fpm\Address;

/**
 * Finds out whether a server listens at an address of this machine now, independent of any configuration.
 *
 * @internal
 */
final readonly class ListeningAddresses
{
    /** @return ?bool null where this user may not see it */
    public static function at(Address $address): ?bool
    {
        if ($address->port === null) {
            clearstatcache();

            return file_exists($address->host) ? true : (self::isVisible($address->host) ? false : null);
        }

        try {
            (TcpTable::read())->waitingAt($address->port);

            return true;
        } catch (FactUnavailable) {
            return false;
        }
    }

    private static function isVisible(string $path): bool
    {
        $directory = dirname($path);

        while (! file_exists($directory) && $directory !== dirname($directory)) {
            $directory = dirname($directory);
        }

        return is_executable($directory);
    }
}
