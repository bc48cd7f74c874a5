<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;

/**
 * What commands make in the buffer's root, beside the buckets. Deployments often run as root, and as other users than the
 * one that serves requests: nothing made here may keep that one out.
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

        if (! $this->isMakerKnown()) {
            throw StorageUnavailable::rootMissing($this->root, Permissions::ownership($this->root));
        }

        $new = [];

        for ($path = $this->root; ! is_dir($path) && $path !== dirname($path); $path = dirname($path)) {
            array_unshift($new, $path);
        }

        $this->permissions->makeDirectory($this->root);
        array_map(self::handOver(...), $new);
    }

    /**
     * @param string $path in the root
     *
     * @throws UnableToFlush
     * @throws UnableToAppend
     */
    public function makeDirectory(string $path): void
    {
        $this->makeRoot();

        if (! is_dir($path)) {
            $this->permissions->makeDirectory($path);
            self::handOver($path);
        }
    }

    /**
     * @param string $path in the root
     * @return bool false when it was there and the mode is 'xe'
     *
     * @throws UnableToFlush
     */
    public function write(string $path, string $mode, string $text): bool
    {
        $reason = '';
        $file = FileOperation::run(fn () => $this->permissions->open($path, $mode), $reason);

        if ($file === false) {
            clearstatcache();

            return $mode === 'xe' && file_exists($path) ? false : throw StorageUnavailable::notPermitted('write', $path, $reason, Permissions::ownership($path));
        }

        self::handOver($path);
        $written = FileOperation::run(static fn () => fwrite($file, $text), $reason);
        fclose($file);

        return $written === strlen($text) ? true : throw StorageUnavailable::notWritten($path, $reason);
    }

    /** What root makes belongs to whoever owns the directory around it. */
    public static function handOver(string $path): void
    {
        clearstatcache();
        $owner = @fileowner(dirname($path));
        $group = @filegroup(dirname($path));

        if (Permissions::currentUser() === 0 && $owner !== false && $group !== false) {
            // Never what a link leads to, which the owner of the directory may have put there since.
            PhpRestrictions::call('lchown', $path, $owner);
            PhpRestrictions::call('lchgrp', $path, $group);
        }
    }

    /**
     * Whose the root is to be: only where the directory around it leaves no doubt. One in which another user may make
     * things, too, as in storage/ of deploy:www-data, leaves one, unless that group shares what is made here as well.
     */
    private function isMakerKnown(): bool
    {
        $around = $this->root;

        while (! file_exists($around) && $around !== dirname($around)) {
            $around = dirname($around);
        }

        $owner = @fileowner($around);
        $mode = (int) @fileperms($around);
        $user = function_exists('posix_getpwuid') && $owner !== false ? posix_getpwuid($owner) : false;
        $isGroupPrivate = ($mode & 020) === 0 || ($user !== false && $user['gid'] === @filegroup($around));

        return in_array(Permissions::currentUser(), [0, $owner], true)
            && ($mode & 02) === 0
            && ($isGroupPrivate || ($this->permissions->directory & 070) === 070);
    }
}
