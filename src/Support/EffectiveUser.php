<?php

declare(strict_types=1);

namespace Headroom\Support;

use Closure;

/**
 * The user whose permissions apply to file operations. In a directory of another user, root switches to that user: the
 * owner could replace any file there with a link, and the link then leads no further than the owner's permissions.
 *
 * @internal
 */
final readonly class EffectiveUser
{
    /** The group nogroup of Linux, for a user without an entry in the user database. */
    private const NO_GROUP = 65_534;

    /** @param ?int $uid null keeps the user of this process */
    private function __construct(public ?int $uid, private int $gid) {}

    /** The owner of the directory if the process runs as root, otherwise the user of this process. */
    public static function in(string $directory): self
    {
        clearstatcache(true, $directory);
        $owner = self::isRoot() ? @fileowner($directory) : false;

        return $owner === false || $owner === 0
            ? new self(null, 0)
            : self::of($owner, posix_getpwuid($owner)['gid'] ?? self::NO_GROUP);
    }

    /** The owner of the directory, or of its nearest existing parent. */
    public static function below(string $directory): self
    {
        while (! is_dir($directory) && $directory !== dirname($directory)) {
            $directory = dirname($directory);
        }

        return self::in($directory);
    }

    public static function of(int $uid, int $gid): self
    {
        return self::isRoot() && $uid !== 0 ? new self($uid, $gid) : new self(null, 0);
    }

    /**
     * @template TResult
     *
     * @param Closure(): TResult $operation
     * @return TResult
     *
     * @throws UnableToSwitchUser
     */
    public function during(Closure $operation): mixed
    {
        if ($this->uid === null || ! self::isRoot()) {
            return $operation();
        }

        $before = posix_getegid();
        $name = posix_getpwuid($this->uid)['name'] ?? "#{$this->uid}";

        try {
            // Set the groups first, because that needs root. A user that is in no group list gets only this group.
            posix_initgroups($name, $this->gid) && posix_setegid($this->gid) && posix_seteuid($this->uid)
                || throw UnableToSwitchUser::of($name, posix_strerror(posix_get_last_error()));

            return $operation();
        } finally {
            posix_seteuid(0) && posix_setegid($before) && posix_initgroups('root', $before)
                || throw UnableToSwitchUser::of('root', posix_strerror(posix_get_last_error()));
        }
    }

    public static function isRoot(): bool
    {
        return function_exists('posix_geteuid') && posix_geteuid() === 0;
    }
}
