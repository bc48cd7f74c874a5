<?php

declare(strict_types=1);

namespace Headroom\Support;

/**
 * The name of this machine, for people. Another machine may have the same.
 *
 * @internal
 */
final readonly class HostName
{
    private const MAX_BYTES = 255;

    public static function own(): string
    {
        $name = PhpRestrictions::call('gethostname');

        return is_string($name) && $name !== '' ? substr($name, 0, self::MAX_BYTES) : 'unknown';
    }
}
