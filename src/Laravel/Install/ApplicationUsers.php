<?php

declare(strict_types=1);

namespace Headroom\Laravel\Install;

use FilesystemIterator;
use SplFileInfo;
use UnexpectedValueException;

/**
 * Finds the users that serve an application's requests, by the owners of the files that requests write. Root is left
 * out, because it may use each directory.
 *
 * @internal
 */
final readonly class ApplicationUsers
{
    /** Files of a directory that are looked at. An old application may have a million sessions. */
    private const MAX_FILES = 200;

    /** Directories of storage/ in which requests create files, and artisan commands sometimes do. */
    private const WRITTEN = ['framework/sessions', 'framework/cache/data', 'framework/views', 'logs'];

    public function __construct(private string $base, private string $storage, private string $cache) {}

    /** @return array<int, string> by uid: the path that shows it; empty when nothing shows a user */
    public function serving(): array
    {
        $owners = $this->ownersOfFiles();
        $serving = array_diff_key($owners, $this->deploying());

        return match (true) {
            $serving !== [] => $serving,
            ($byGroup = $this->byGroup()) !== [] => $byGroup,
            $owners !== [] => $owners,
            default => self::owner($this->storage),
        };
    }

    /**
     * A directory that each user of the machine may write to, where no file shows the user that serves requests. The
     * server may run as any user then.
     */
    public function openDirectory(): ?string
    {
        clearstatcache();
        $isOpen = ((int) @fileperms($this->storage) & 02) !== 0;

        return $isOpen && array_diff_key($this->ownersOfFiles(), $this->deploying()) === [] ? $this->storage : null;
    }

    /** @return array<int, string> by uid: the owner of the code and of the caches that a deployment writes */
    private function deploying(): array
    {
        return self::owner("{$this->base}/artisan") + self::owner($this->cache);
    }

    /**
     * An administrator that once ran artisan, or a machine that the files were copied from, may have left files in a
     * directory that only the user that serves requests can write to.
     *
     * @return array<int, string>
     */
    private function ownersOfFiles(): array
    {
        $owners = [];

        foreach (self::WRITTEN as $name) {
            $found = [];

            foreach ($this->entries("{$this->storage}/{$name}") as $path) {
                $found += self::owner($path);
            }

            foreach (array_diff_key($found, $owners) as $uid => $path) {
                if ((new UserAccess($uid))->mayCreateIn("{$this->storage}/{$name}")) {
                    $owners[$uid] = $path;
                }
            }
        }

        return $owners;
    }

    /** @return iterable<string> */
    private function entries(string $directory): iterable
    {
        try {
            $number = 0;

            foreach (new FilesystemIterator($directory) as $entry) {
                if (! $entry instanceof SplFileInfo || $number++ === self::MAX_FILES) {
                    return;
                }

                // Git keeps the directory by this file, so it belongs to the user that deploys.
                if ($entry->getFilename() !== '.gitignore') {
                    yield $entry->getPathname();
                }
            }
        } catch (UnexpectedValueException) {
            // This user may not read the directory, or it does not exist.
        }
    }

    /**
     * In a layout such as deploy:www-data, the group that may write to storage/ is that of the user of the same name,
     * or an ACL names the user.
     *
     * @return array<int, string>
     */
    private function byGroup(): array
    {
        $users = [];

        foreach ([$this->storage, "{$this->storage}/logs", $this->cache] as $path) {
            $isOfGroup = ((int) @fileperms($path) & 020) !== 0;
            $group = $isOfGroup ? posix_getgrgid((int) @filegroup($path)) : false;
            $user = $group === false ? false : posix_getpwnam($group['name']);
            $found = $user !== false && $user['gid'] === @filegroup($path) ? [$user['uid']] : [];

            foreach ([...$found, ...array_keys(AccessControlList::of($path))] as $uid) {
                $users[$uid] ??= $path;
            }
        }

        unset($users[0]);

        return count($users) > 1 ? array_diff_key($users, $this->deploying()) : $users;
    }

    /** @return array<int, string> */
    private static function owner(string $path): array
    {
        clearstatcache();
        $uid = @fileowner($path);

        return $uid === false || $uid === 0 ? [] : [$uid => $path];
    }
}
