<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;

/**
 * Creates files and directories of commands in the buffer's root, next to the buckets. Deployments often run as root,
 * or as another user than the one that serves requests. Nothing created here may lock that user out.
 *
 * @internal
 */
final readonly class RootDirectory
{
    public function __construct(private string $root, private Permissions $permissions) {}

    /**
     * @throws UnableToFlush
     * @throws UnableToAppend
     */
    public function makeRoot(): void
    {
        clearstatcache();

        if (is_dir($this->root)) {
            return;
        }

        if (! $this->isOwnerClear()) {
            throw StorageUnavailable::rootMissing($this->root, Permissions::ownership($this->root));
        }

        $new = [];

        for ($path = $this->root; ! is_dir($path) && $path !== dirname($path); $path = dirname($path)) {
            array_unshift($new, $path);
        }

        $this->permissions->makeDirectory($this->root);
        array_map(self::giveToOwner(...), $new);
    }

    /**
     * @param string $path below the root
     *
     * @throws UnableToFlush
     * @throws UnableToAppend
     */
    public function makeDirectory(string $path): void
    {
        $this->makeRoot();

        // Permissions refuses a link.
        if (is_link($path) || ! is_dir($path)) {
            $this->permissions->makeDirectory($path);
            self::giveToOwner($path);
        }
    }

    /**
     * @param string $path below the root
     * @return bool false when the mode is 'xe' and the file exists already
     *
     * @throws UnableToFlush
     */
    public function write(string $path, string $mode, string $text): bool
    {
        $reason = '';
        $file = FileOperation::run(fn () => $this->permissions->open($path, $mode), $reason);

        if ($file === false) {
            clearstatcache();

            return $mode === 'xe' && file_exists($path)
                ? false
                : throw StorageUnavailable::notPermitted('write', $path, $reason, Permissions::ownership($path));
        }

        self::giveToOwner($path);
        $written = FileOperation::run(static fn () => fwrite($file, $text), $reason);
        fclose($file);

        return $written === strlen($text) ? true : throw StorageUnavailable::notWritten($path, $reason);
    }

    /** Gives a file that root has created to the owner of the directory around it. */
    public static function giveToOwner(string $path): void
    {
        clearstatcache();
        $owner = @fileowner(dirname($path));
        $group = @filegroup(dirname($path));

        if (Permissions::currentUser() === 0 && $owner !== false && $group !== false) {
            // lchown() changes a link and never its target: the owner of the directory may have put a link there since.
            PhpRestrictions::call('lchown', $path, $owner);
            PhpRestrictions::call('lchgrp', $path, $group);
        }
    }

    /**
     * Whether the directory around the root leaves no doubt about the owner that the root should have. A directory in
     * which another user may create files as well, such as storage/ of deploy:www-data, leaves a doubt, unless the
     * group may also write to what is created here.
     */
    private function isOwnerClear(): bool
    {
        $parent = $this->root;

        while (! file_exists($parent) && $parent !== dirname($parent)) {
            $parent = dirname($parent);
        }

        $owner = @fileowner($parent);
        $mode = (int) @fileperms($parent);
        $user = function_exists('posix_getpwuid') && $owner !== false ? posix_getpwuid($owner) : false;
        $isGroupPrivate = ($mode & 020) === 0 || ($user !== false && $user['gid'] === @filegroup($parent));

        return in_array(Permissions::currentUser(), [0, $owner], true)
            && ($mode & 02) === 0
            && ($isGroupPrivate || ($this->permissions->directory & 070) === 070);
    }
}
