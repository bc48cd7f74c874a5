<?php

declare(strict_types=1);

namespace Headroom\Process;

use Headroom\Support\EffectiveUser;

/**
 * The user that workers and servers run as if root starts them.
 *
 * @internal
 */
final readonly class UnixUser
{
    private function __construct(public string $user, public string $group, public int $uid, public int $gid) {}

    public static function named(string $user): self
    {
        $entry = posix_getpwnam($user);
        $group = $entry === false ? false : posix_getgrgid($entry['gid']);

        return $entry === false || $group === false
            ? throw InvalidServerConfig::unknownUser($user)
            : new self($entry['name'], $group['name'], $entry['uid'], $entry['gid']);
    }

    /** Null unless this process is root: then the workers run as the current user. */
    public static function forWorkers(string $user): ?self
    {
        return posix_geteuid() === 0 ? self::named($user) : null;
    }

    /** The first of these users that exists, for a server that root starts. Null unless this process is root. */
    public static function firstOf(string ...$users): ?self
    {
        foreach (posix_geteuid() === 0 ? $users : [] as $user) {
            if (posix_getpwnam($user) !== false) {
                return self::named($user);
            }
        }

        return posix_geteuid() === 0 ? self::named('nobody') : null;
    }

    public function rights(): EffectiveUser
    {
        return EffectiveUser::of($this->uid, $this->gid);
    }

    public function isRoot(): bool
    {
        return $this->user === 'root';
    }
}
