<?php

declare(strict_types=1);

namespace Headroom\Process;

use Headroom\Support\EffectiveUser;

/**
 * Whom workers and servers run as when root starts them.
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
            ? throw InvalidServer::unknownUser($user)
            : new self($entry['name'], $group['name'], $entry['uid'], $entry['gid']);
    }

    /** Null for anyone but root: then the workers are whoever starts them. */
    public static function forWorkers(string $user): ?self
    {
        return posix_geteuid() === 0 ? self::named($user) : null;
    }

    /** The first of these users that there is, for a server that root starts; null for anyone but root. */
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
