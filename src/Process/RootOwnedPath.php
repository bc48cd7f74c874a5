<?php

declare(strict_types=1);

namespace Headroom\Process;

/**
 * Checks that only root can change or replace a file.
 *
 * @internal
 */
final readonly class RootOwnedPath
{
    private const OTHERS_WRITE = 0o022;

    private const STICKY_DIRECTORY = 0o041000;

    /**
     * Checks each parent directory, as sshd does. A link is checked too, because its owner chooses the target.
     *
     * @return ?string the first part, from the end of the path, that another user can change
     */
    public static function weakness(string $file): ?string
    {
        for ($path = $file, $below = null; $path !== $below; [$path, $below] = [dirname($path), $path]) {
            clearstatcache(true, $path);
            $status = @lstat($path);

            // In a sticky directory such as /tmp, other users cannot rename files of root.
            if (
                $status === false
                || $status['uid'] !== 0
                || (($status['mode'] & self::OTHERS_WRITE) !== 0
                    && ($status['mode'] & self::STICKY_DIRECTORY) !== self::STICKY_DIRECTORY)
            ) {
                return $path;
            }
        }

        return null;
    }
}
