<?php

declare(strict_types=1);

namespace Headroom\Process;

use Headroom\Support\EffectiveUser;

/**
 * A directory of this process. If root starts servers as another user, that user gets a folder in it and root owns the
 * rest. So that user can replace no file that root writes or that a program reads as root. The directory is removed at
 * the latest when the process ends, unless it is killed.
 *
 * @internal
 */
final readonly class TemporaryDirectory
{
    private const WORK = 'work';

    /** Depth of nested folders of several users. Only a process that still creates some can exceed it. */
    private const MAX_ROUNDS = 64;

    /**
     * @param string $work folder that the servers may write to
     * @param int $creator pid; a fork of this process does not remove the directory
     */
    private function __construct(public string $path, public string $work, private int $creator) {}

    /** @throws UnableToStart */
    public static function create(string $name, ?UnixUser $owner = null): self
    {
        $path = self::parent()."/headroom-{$name}-".bin2hex(random_bytes(6));
        $isShared = $owner !== null && ! $owner->isRoot();
        $directory = new self($path, $isShared ? "{$path}/".self::WORK : $path, (int) getmypid());
        // Register first: a signal that comes right after mkdir() must not leave a directory behind.
        ShutdownHandler::remove($directory);

        if (! @mkdir($path, 0o700)) {
            ShutdownHandler::forget($directory);

            throw UnableToStart::directory($path, 'created');
        }

        // The group of the servers may traverse the directory to reach its folder.
        if (
            $isShared
            && ! (@mkdir($directory->work, 0o700)
                && @chgrp($directory->work, $owner->gid)
                && @chown($directory->work, $owner->uid)
                && @chgrp($path, $owner->gid)
                && @chmod($path, 0o710))
        ) {
            $directory->remove();

            throw UnableToStart::directory($directory->work, "given to {$owner->user}");
        }

        return $directory;
    }

    public function file(string $name): string
    {
        return "{$this->path}/{$name}";
    }

    public function write(string $name, string $text): string
    {
        $path = $this->file($name);
        @unlink($path);
        $file = @fopen($path, 'xe');

        // The servers' user reads the file, so the mode must not depend on root's umask. Other users cannot enter the
        // directory.
        return $file !== false && fwrite($file, $text) === strlen($text) && fclose($file) && chmod($path, 0o644)
            ? $path
            : throw UnableToStart::directory($path, 'written');
    }

    /** The first folder on the path whose mode keeps the user out. An access control list may still allow it. */
    public function closedTo(UnixUser $account): ?string
    {
        for ($folder = $this->path; $folder !== dirname($folder); $folder = dirname($folder)) {
            $mode = (int) @fileperms($folder);
            $right = match (true) {
                @fileowner($folder) === $account->uid => 0o100,
                @filegroup($folder) === $account->gid => 0o010,
                default => 0o001,
            };

            if (($mode & $right) === 0) {
                return $folder;
            }
        }

        return null;
    }

    public function remove(): void
    {
        if (getmypid() !== $this->creator) {
            return;
        }

        for ($round = 0; $round < self::MAX_ROUNDS && is_dir($this->path); $round++) {
            self::empty($this->path);

            if (@rmdir($this->path) || ! $this->moveUp()) {
                break;
            }
        }

        is_dir($this->path) ? null : ShutdownHandler::forget($this);
    }

    /**
     * Moves files that the owner of a folder could not remove, because they belong to another user. They go to a
     * directory of root, in which no other user can replace them. No part of the new path belongs to another user,
     * except the last one, which rename() does not follow.
     *
     * @return bool true if something was moved
     */
    private function moveUp(): bool
    {
        $isMoved = false;

        foreach (self::names($this->path) as $folder) {
            foreach (is_link($this->file($folder)) ? [] : self::names($this->file($folder)) as $name) {
                $isMoved = @rename($this->file("{$folder}/{$name}"), $this->file(bin2hex(random_bytes(8)))) || $isMoved;
            }
        }

        return $isMoved;
    }

    /**
     * Empties a folder of another user as that user: its owner may replace it with a link at any moment, and root would
     * follow that link.
     */
    private static function empty(string $folder): void
    {
        EffectiveUser::in($folder)->during(static function () use ($folder): void {
            foreach (self::names($folder) as $name) {
                $path = "{$folder}/{$name}";
                @unlink($path) || ! is_dir($path) || is_link($path) ? null : self::empty($path);
                @rmdir($path);
            }
        });
    }

    /** @return list<string> */
    private static function names(string $folder): array
    {
        $names = is_dir($folder) ? @scandir($folder) : false;

        return array_values(array_diff($names === false ? [] : $names, ['.', '..']));
    }

    /**
     * The parent of new directories, with links resolved, so that the path that was checked is the path that is used.
     *
     * @throws UnableToStart
     */
    private static function parent(): string
    {
        $given = rtrim(sys_get_temp_dir(), '/');
        $path = realpath($given === '' ? '/' : $given);
        $path = $path === false ? $given : rtrim($path, '/');
        $weakness = EffectiveUser::isRoot() ? RootOwnedPath::weakness($path === '' ? '/' : $path) : null;

        return $weakness === null || $weakness === $path && ! is_dir($path)
            ? $path
            : throw UnableToStart::untrusted($weakness);
    }
}
