<?php

declare(strict_types=1);

namespace Headroom\Host;

/**
 * What nobody but root can change, or put another in the place of.
 *
 * @internal
 */
final readonly class RootsAlone
{
    private const OTHERS_WRITE = 0o022;

    private const STICKY_DIRECTORY = 0o041000;

    /**
     * As sshd looks at its files: each directory above counts, and so does a link on the way.
     *
     * @return ?string the first part, from the end of the path on, that another user may change
     */
    public static function weakness(string $file): ?string
    {
        for ($path = $file, $below = null; $path !== $below; [$path, $below] = [dirname($path), $path]) {
            clearstatcache(true, $path);
            $status = @lstat($path);

            // In a directory such as /tmp nobody else can move what is root's.
            if ($status === false || $status['uid'] !== 0 || (($status['mode'] & self::OTHERS_WRITE) !== 0 && ($status['mode'] & self::STICKY_DIRECTORY) !== self::STICKY_DIRECTORY)) {
                return $path;
            }
        }

        return null;
    }
}
