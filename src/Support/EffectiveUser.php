<?php

declare(strict_types=1);

namespace Headroom\Support;

use Closure;

/**
 * With whose rights a file is touched. In a directory of another user root takes that user's: the owner may put a link in the
 * place of any file there, and the link leads no further than its maker could go.
 *
 * @internal
 */
final readonly class EffectiveUser
{
    /** What Linux calls nogroup: of a user that has no entry no group is known. */
    private const NO_GROUP = 65_534;

    /** @param ?int $uid null for those that this process has */
    private function __construct(public ?int $uid, private int $gid) {}

    /** Those of the directory's owner where root asks, else those that this process has. */
    public static function in(string $directory): self
    {
        clearstatcache(true, $directory);
        $owner = self::areRoots() ? @fileowner($directory) : false;

        return $owner === false || $owner === 0 ? new self(null, 0) : self::of($owner, posix_getpwuid($owner)['gid'] ?? self::NO_GROUP);
    }

    /** Those of the owner of the directory, or of the nearest one above it that is there. */
    public static function below(string $directory): self
    {
        while (! is_dir($directory) && $directory !== dirname($directory)) {
            $directory = dirname($directory);
        }

        return self::in($directory);
    }

    public static function of(int $uid, int $gid): self
    {
        return self::areRoots() && $uid !== 0 ? new self($uid, $gid) : new self(null, 0);
    }

    /**
     * @template TResult
     *
     * @param Closure(): TResult $deed
     * @return TResult
     *
     * @throws UnableToSwitchUser
     */
    public function during(Closure $deed): mixed
    {
        if ($this->uid === null || ! self::areRoots()) {
            return $deed();
        }

        $before = posix_getegid();
        $name = posix_getpwuid($this->uid)['name'] ?? "#{$this->uid}";

        try {
            // The groups first: they need root. A name that is in no list has no other group than this one.
            posix_initgroups($name, $this->gid) && posix_setegid($this->gid) && posix_seteuid($this->uid)
                || throw UnableToSwitchUser::of($name, posix_strerror(posix_get_last_error()));

            return $deed();
        } finally {
            posix_seteuid(0) && posix_setegid($before) && posix_initgroups('root', $before)
                || throw UnableToSwitchUser::of('root', posix_strerror(posix_get_last_error()));
        }
    }

    public static function areRoots(): bool
    {
        return function_exists('posix_geteuid') && posix_geteuid() === 0;
    }
}
