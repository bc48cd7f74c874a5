<?php

declare(strict_types=1);

namespace Headroom\Host;

use FilesystemIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;
use UnexpectedValueException;

/**
 * A directory of our own that only its owner enters. What is not removed before goes when the process ends, unless it is killed.
 *
 * @internal
 */
final readonly class TemporaryDirectory
{
    /** @param int $creator a fork of this process leaves the directory alone */
    private function __construct(public string $path, private int $creator) {}

    /** @throws UnableToStart */
    public static function create(string $name, ?Account $owner = null): self
    {
        $path = rtrim(sys_get_temp_dir(), '/')."/headroom-{$name}-".bin2hex(random_bytes(6));

        $directory = new self($path, (int) getmypid());
        // Before it is made: who is interrupted at that moment leaves none behind.
        AtExit::remove($directory);

        if (! @mkdir($path, 0o700)) {
            AtExit::forget($directory);

            throw UnableToStart::directory($path, 'created');
        }

        if ($owner !== null && ! (@chown($path, $owner->user) && @chgrp($path, $owner->group))) {
            $directory->remove();

            throw UnableToStart::directory($path, "given to {$owner->user}");
        }

        return $directory;
    }

    public function file(string $name): string
    {
        return "{$this->path}/{$name}";
    }

    public function write(string $name, string $text): string
    {
        // Whoever the directory was given to reads it, whatever root's umask is; nobody else gets in here.
        return file_put_contents($this->file($name), $text) === strlen($text) && chmod($this->file($name), 0o644)
            ? $this->file($name)
            : throw UnableToStart::directory($this->file($name), 'written');
    }

    /** The folder on the way here that its mode does not let them enter; an access control list may open it nevertheless. */
    public function closedTo(Account $account): ?string
    {
        $user = posix_getpwnam($account->user);

        for ($folder = $this->path; $folder !== dirname($folder); $folder = dirname($folder)) {
            $mode = (int) @fileperms($folder);
            $right = match (true) {
                @fileowner($folder) === ($user['uid'] ?? null) => 0o100,
                @filegroup($folder) === ($user['gid'] ?? null) => 0o010,
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

        try {
            is_dir($this->path) ? $this->empty() : null;
        } catch (UnexpectedValueException) {
            // A folder in it went while it was looked through, or lets nobody in.
        }

        @rmdir($this->path) || ! is_dir($this->path) ? AtExit::forget($this) : null;
    }

    private function empty(): void
    {
        $entries = new RecursiveIteratorIterator(
            new RecursiveDirectoryIterator($this->path, FilesystemIterator::SKIP_DOTS),
            RecursiveIteratorIterator::CHILD_FIRST,
        );

        foreach ($entries as $entry) {
            if ($entry instanceof SplFileInfo) {
                $entry->isDir() && ! $entry->isLink() ? @rmdir($entry->getPathname()) : @unlink($entry->getPathname());
            }
        }
    }
}
