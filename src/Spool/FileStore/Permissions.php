<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Spool\SpoolConfig;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;

/**
 * Modes of what the buffer creates, and words for who owns what: the users who write (FPM), flush (cron) and look
 * (a shell) are often not the same.
 *
 * @internal
 */
final readonly class Permissions
{
    /**
     * @param int $directory mode bits, such as 0700
     * @param int $file mode bits, such as 0600
     * @param ?string $root directories above it are not the buffer's, and get the mode that everybody's get
     */
    public function __construct(public int $directory = 0700, public int $file = 0600, private ?string $root = null) {}

    public static function of(SpoolConfig $config): self
    {
        return new self($config->directoryMode(), $config->fileMode(), $config->path);
    }

    /**
     * Opens, and creates with the right mode from the first moment on: a crash before a later chmod() would shut the
     * other users out for good.
     *
     * @param-out string $reason
     *
     * @return resource|false
     */
    public function open(string $path, string $mode, string &$reason = '')
    {
        // The umask belongs to the process, so with threads it is not ours to change.
        $umask = PHP_ZTS === 1 ? null : PhpRestrictions::call('umask', ~$this->file & 0777);
        $file = BufferFile::open($path, $mode, $reason);

        if (is_int($umask)) {
            umask($umask);
        } elseif ($file !== false) {
            PhpRestrictions::call('chmod', $path, $this->file);
        }

        return $file;
    }

    public static function currentUser(): int
    {
        // getmyuid() is no stand-in: it tells who owns the script.
        $user = PhpRestrictions::call('posix_geteuid') ?? PhpRestrictions::call('fileowner', '/proc/self');

        return is_int($user) ? $user : self::ownerOfNewFile();
    }

    private static function ownerOfNewFile(): int
    {
        $file = PhpRestrictions::call('tmpfile');
        $stat = is_resource($file) ? fstat($file) : false;
        $user = $stat === false ? PhpRestrictions::call('getmyuid') : $stat['uid'];

        return is_int($user) ? $user : 0;
    }

    public static function userName(int $uid): string
    {
        $user = function_exists('posix_getpwuid') ? posix_getpwuid($uid) : false;

        return $user === false ? "uid {$uid}" : "{$user['name']} (uid {$uid})";
    }

    /** "It belongs to deploy (uid 1000); this process runs as www-data (uid 33)." */
    public static function ownership(string $path): string
    {
        clearstatcache();

        if (PhpRestrictions::hide($path)) {
            return "open_basedir does not let PHP use {$path}; this process runs as ".self::userName(self::currentUser()).'.';
        }

        while (! @file_exists($path) && $path !== dirname($path)) {
            $path = dirname($path);
        }

        $owner = PhpRestrictions::call('fileowner', $path);

        return (! is_int($owner) ? '' : "{$path} belongs to ".self::userName($owner).'; ').'this process runs as '.self::userName(self::currentUser()).'.';
    }

    /** @throws UnableToAppend */
    public function makeDirectory(string $path): void
    {
        // Of directories above, and of the root, whoever set it up may make what he likes.
        if ($this->root !== null && str_starts_with($path, "{$this->root}/") && is_link($path)) {
            throw UnableToAppend::directoryNotCreated($path, 'a symbolic link is in its place, which the buffer does not follow', self::ownership($path));
        }

        if (is_dir($path)) {
            return;
        }

        if (PhpRestrictions::hide($path)) {
            throw UnableToAppend::directoryNotCreated($path, 'it lies outside of open_basedir', self::ownership($path));
        }

        $parent = dirname($path);

        if (! is_dir($parent) && $parent !== $path) {
            $this->makeDirectory($parent);
        }

        $isOurs = $this->root === null || $path === $this->root || str_starts_with($path, "{$this->root}/");

        // Two processes may make it at the same time; one of them is told that it exists.
        $reason = '';

        if (! FileOperation::run(fn (): bool => mkdir($path, $isOurs ? $this->directory : 0777), $reason)) {
            clearstatcache();

            if (! is_dir($path)) {
                throw UnableToAppend::directoryNotCreated($path, $reason, self::ownership($path));
            }

            return;
        }

        // mkdir() is subject to the umask, and most umasks take away the group's right to write.
        if ($isOurs) {
            PhpRestrictions::call('chmod', $path, $this->directory);
        }
    }
}
