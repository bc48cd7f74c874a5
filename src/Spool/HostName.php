<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * For people: what this machine calls itself, which another one may as well.
 *
 * @internal
 */
final readonly class HostName
{
    private const MOST_BYTES = 255;

    public static function own(): string
    {
        $name = substr((string) gethostname(), 0, self::MOST_BYTES);

        return $name === '' ? 'unknown' : $name;
    }
}
