<?php

declare(strict_types=1);

namespace Headroom\Spool;

use function preg_match;

/**
 * @internal
 */
final readonly class BucketName
{
    /** @throws InvalidBucket */
    public static function check(string $name): string
    {
        return self::isValid($name) ? $name : throw InvalidBucket::name($name);
    }

    /** The name becomes a directory, so nothing that could leave its parent may pass. */
    public static function isValid(string $name): bool
    {
        return preg_match('/\A[a-z0-9][a-z0-9._-]{0,63}\z/', $name) === 1;
    }
}
