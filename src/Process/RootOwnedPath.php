<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * A path that only root can change, or put another file in the place of.
 *
 * @internal
 */
final readonly class RootOwnedPath
{
    private const OTHERS_WRITE = 0o022;

    private const STICKY_DIRECTORY = 0o041000;

    /**
     * As sshd looks at its files: each directory above counts. A link counts too, since its owner chooses where it leads.
     *
     * @return ?string the first part, from the end of the path on, that another user may change
     */
    public static function weakness(string $file): ?string
    {
        for ($path = $file, $below = null; $path !== $below; [$path, $below] = [dirname($path), $path]) {
            clearstatcache(true, $path);
            $status = @lstat($path);

            // In a directory such as /tmp other users cannot move what is root's.
            if ($status === false || $status['uid'] !== 0 || (($status['mode'] & self::OTHERS_WRITE) !== 0 && ($status['mode'] & self::STICKY_DIRECTORY) !== self::STICKY_DIRECTORY)) {
                return $path;
            }
        }

        return null;
    }
}
