<?php

declare(strict_types=1);

namespace Headroom\Laravel\Install;

use Headroom\Support\EffectiveUser;
use Headroom\Support\UnableToSwitchUser;

/**
 * Whether another user can use a directory. Root tries it as that user, so that ACLs and group memberships count.
 * Another user can only read the modes and the ACL.
 *
 * @internal
 */
final readonly class UserAccess
{
    private const ALL = 07;

    private const CREATE = 03;

    private const PASS = 01;

    private int $group;

    private string $name;

    public function __construct(private int $uid)
    {
        $user = posix_getpwuid($uid);
        $this->group = $user['gid'] ?? -1;
        $this->name = $user['name'] ?? '';
    }

    /** @return ?string the directory or the one above it that the user cannot use; null when it can use all */
    public function obstacle(string $directory): ?string
    {
        clearstatcache();

        if (EffectiveUser::isRoot()) {
            try {
                return EffectiveUser::of($this->uid, max(0, $this->group))->during(
                    fn (): ?string => $this->tried($directory),
                );
            } catch (UnableToSwitchUser) {
                // Then the modes decide.
            }
        }

        foreach (self::above($directory) as $parent) {
            if (! $this->may($parent, self::PASS)) {
                return $parent;
            }
        }

        return $this->may($directory, self::ALL) ? null : $directory;
    }

    /** As the modes and the ACL say. */
    public function mayUse(string $directory): bool
    {
        clearstatcache();

        return $this->may($directory, self::ALL);
    }

    /** As the modes and the ACL say. */
    public function mayCreateIn(string $directory): bool
    {
        clearstatcache();

        return $this->may($directory, self::CREATE);
    }

    /** is_writable() would ask for the real user of the process. */
    private function tried(string $directory): ?string
    {
        foreach (self::above($directory) as $parent) {
            if (@stat("{$parent}/.") === false) {
                return $parent;
            }
        }

        $probe = "{$directory}/probe.".bin2hex(random_bytes(4));
        $file = @scandir($directory) === false ? false : @fopen($probe, 'xe');

        if ($file === false) {
            return $directory;
        }

        fclose($file);
        @unlink($probe);

        return null;
    }

    /** @return list<string> from the root of the filesystem on */
    private static function above(string $directory): array
    {
        $parents = [];

        while ($directory !== dirname($directory)) {
            $directory = dirname($directory);
            array_unshift($parents, $directory);
        }

        return $parents;
    }

    private function may(string $path, int $bits): bool
    {
        $stat = @stat($path);

        if ($stat === false) {
            return true; // A directory that this user cannot see is no evidence about the other user.
        }

        $granted = match (true) {
            $stat['uid'] === $this->uid => ($stat['mode'] >> 6) & 07,
            $this->isIn($stat['gid']) => ($stat['mode'] >> 3) & 07,
            default => $stat['mode'] & 07,
        };

        return ($granted & $bits) === $bits || ($this->fromAcl($path) & $bits) === $bits;
    }

    private function isIn(int $gid): bool
    {
        $group = $gid === $this->group ? false : posix_getgrgid($gid);

        return $gid === $this->group || ($group !== false && in_array($this->name, $group['members'], true));
    }

    private function fromAcl(string $path): int
    {
        $granted = AccessControlList::of($path)[$this->uid] ?? '---';

        return ($granted[0] === 'r' ? 04 : 0) | ($granted[1] === 'w' ? 02 : 0) | ($granted[2] === 'x' ? 01 : 0);
    }
}
