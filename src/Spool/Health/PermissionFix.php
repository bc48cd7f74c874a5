<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Spool\FileStore\Permissions;
use Headroom\Support\Path;

/**
 * The commands that let this user, or this user and another, use the buffer. You can paste them into a shell.
 *
 * @internal
 */
final readonly class PermissionFix
{
    public function __construct(private string $root) {}

    /**
     * @param string $path an existing path that the user cannot use
     * @param ?int $uid null: the user of this process
     */
    public function access(string $path, ?int $uid = null): string
    {
        clearstatcache();
        $uid ??= Permissions::currentUser();
        $me = $this->user($uid);
        $owner = @fileowner($path);

        if ($owner === false || $owner === $uid) {
            return "Run `chmod -R u+rwX {$this->quote($this->root)}`, and check whether that filesystem is mounted"
                .' read-only.';
        }

        return "If only {$me} serves requests and flushes, run as root `chown -R {$me} {$this->quote($this->root)}`."
            .' If both '
            .$this->user($owner)." and {$me} do, {$this->share($owner, $uid)}";
    }

    /** @param string $above a directory above the buffer that this user cannot traverse */
    public function passage(string $above): string
    {
        return "Run as its owner or root `chmod a+x {$this->quote($above)}`, or set spool.path to another directory.";
    }

    /** The fix when two users share the buffer. */
    public function share(int $owner, int $other): string
    {
        // Root needs no group membership, and no user should be a member of the group of root.
        [$groupOwner, $member] = $owner === 0 ? [$other, $owner] : [$owner, $other];
        $join = $member === 0 || $groupOwner === $member ? '' : "usermod -aG {$this->group($groupOwner)}"
            ." {$this->user($member)} && ";

        return 'set spool.dir_mode to 02770 and spool.file_mode to 0660, run as root'
            ." `{$join}{$this->open($this->group($groupOwner))}`, and restart PHP-FPM and workers.";
    }

    /** The fix when existing files do not have the modes of the configuration. */
    public function modes(int $directory, int $file): string
    {
        return 'Run as root `'.$this->chmod($directory, $file).'`.';
    }

    public function create(): string
    {
        $me = $this->user(Permissions::currentUser());
        $root = $this->quote($this->root);

        return "Run as root `mkdir -p {$root} && chown {$me} {$root} && chmod 700 {$root}`, or set spool.path to a"
            .' directory that this user can write to.';
    }

    private function open(string $group): string
    {
        return "chgrp -R {$group} {$this->quote($this->root)} && {$this->chmod(02770, 0660)}";
    }

    private function chmod(int $directory, int $file): string
    {
        $root = $this->quote($this->root);

        return sprintf(
            'find %1$s -type d -exec chmod %2$o {} + && find %1$s -type f -exec chmod %3$o {} +',
            $root,
            $directory,
            $file,
        );
    }

    private function user(int $uid): string
    {
        $user = function_exists('posix_getpwuid') ? posix_getpwuid($uid) : false;

        return $user === false ? (string) $uid : $user['name'];
    }

    private function group(int $uid): string
    {
        $user = function_exists('posix_getpwuid') ? posix_getpwuid($uid) : false;
        $group = $user === false ? false : posix_getgrgid($user['gid']);

        return $group === false ? 'GROUP' : $group['name'];
    }

    private function quote(string $path): string
    {
        return Path::quoted($path);
    }
}
