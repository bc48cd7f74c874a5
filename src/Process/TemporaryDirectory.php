<?php

declare(strict_types=1);

namespace Headroom\Process;

use Headroom\Support\EffectiveUser;

/**
 * A directory of our own. Where root starts servers of another user, that user gets a folder in it, and all else stays root's: no file
 * that root writes, or has a program read as root, can be exchanged. What is not removed before goes when the process ends,
 * unless it is killed.
 *
 * @internal
 */
final readonly class TemporaryDirectory
{
    private const WORK = 'work';

    /** Levels of folders of several users in each other. More come only from a process that still makes some. */
    private const MOST_ROUNDS = 64;

    /**
     * @param string $work folder that the servers may write to
     * @param int $creator a fork of this process leaves the directory alone
     */
    private function __construct(public string $path, public string $work, private int $creator) {}

    /** @throws UnableToStart */
    public static function create(string $name, ?UnixUser $owner = null): self
    {
        $path = self::above()."/headroom-{$name}-".bin2hex(random_bytes(6));
        $isShared = $owner !== null && ! $owner->isRoot();
        $directory = new self($path, $isShared ? "{$path}/".self::WORK : $path, (int) getmypid());
        // Before it is made: a process that is interrupted at that moment leaves none behind.
        ShutdownHandler::remove($directory);

        if (! @mkdir($path, 0o700)) {
            ShutdownHandler::forget($directory);

            throw UnableToStart::directory($path, 'created');
        }

        // The group of the servers may pass through to what is theirs.
        if ($isShared && ! (@mkdir($directory->work, 0o700) && @chgrp($directory->work, $owner->gid) && @chown($directory->work, $owner->uid) && @chgrp($path, $owner->gid) && @chmod($path, 0o710))) {
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

        // The servers' user reads it, whatever root's umask is; other users do not get in here.
        return $file !== false && fwrite($file, $text) === strlen($text) && fclose($file) && chmod($path, 0o644)
            ? $path
            : throw UnableToStart::directory($path, 'written');
    }

    /** The folder on the way here that its mode does not let them enter; an access control list may open it nevertheless. */
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

        for ($round = 0; $round < self::MOST_ROUNDS && is_dir($this->path); $round++) {
            self::empty($this->path);

            if (@rmdir($this->path) || ! $this->lift()) {
                break;
            }
        }

        is_dir($this->path) ? null : ShutdownHandler::forget($this);
    }

    /**
     * What a folder's owner could not remove is another user's. It is moved up, to where only root can exchange it, by a name that
     * leads through no folder of theirs but the last, which is not followed.
     *
     * @return bool whether there was something
     */
    private function lift(): bool
    {
        $isLifted = false;

        foreach (self::names($this->path) as $folder) {
            foreach (is_link($this->file($folder)) ? [] : self::names($this->file($folder)) as $name) {
                $isLifted = @rename($this->file("{$folder}/{$name}"), $this->file(bin2hex(random_bytes(8)))) || $isLifted;
            }
        }

        return $isLifted;
    }

    /**
     * A folder of another user is emptied with that user's rights: it may be exchanged for a link at any moment, and root would go where
     * that leads.
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
     * Where directories are made: without links, so that what was looked at is what is used.
     *
     * @throws UnableToStart
     */
    private static function above(): string
    {
        $given = rtrim(sys_get_temp_dir(), '/');
        $path = realpath($given === '' ? '/' : $given);
        $path = $path === false ? $given : rtrim($path, '/');
        $weakness = EffectiveUser::areRoots() ? RootOwnedPath::weakness($path === '' ? '/' : $path) : null;

        return $weakness === null || $weakness === $path && ! is_dir($path) ? $path : throw UnableToStart::untrusted($weakness);
    }
}
