<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Spool\SpoolConfig;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\RegularFile;

/**
 * The modes of files and directories that the buffer creates, and texts about their owners. The users that write (FPM),
 * flush (cron) and inspect (a shell) are often different.
 *
 * @internal
 */
final readonly class Permissions
{
    /**
     * @param int $directory mode bits, such as 0700
     * @param int $file mode bits, such as 0600
     * @param ?string $root directories above it do not belong to the buffer, and get the default mode of the umask
     */
    public function __construct(public int $directory = 0700, public int $file = 0600, private ?string $root = null) {}

    public static function of(SpoolConfig $config): self
    {
        return new self($config->directoryMode(), $config->fileMode(), $config->path);
    }

    /**
     * Opens a file, and creates it with the right mode from the first moment on: a crash before a later chmod() would
     * lock the other users out permanently.
     *
     * @param-out string $reason
     *
     * @return resource|false
     */
    public function open(string $path, string $mode, string &$reason = '')
    {
        // The umask belongs to the process, so changing it would affect the other threads of a ZTS build.
        $umask = PHP_ZTS === 1 ? null : PhpRestrictions::call('umask', ~$this->file & 0777);
        $file = RegularFile::open($path, $mode, $reason);

        if (is_int($umask)) {
            umask($umask);
        } elseif ($file !== false) {
            PhpRestrictions::call('chmod', $path, $this->file);
        }

        return $file;
    }

    public static function currentUser(): int
    {
        // getmyuid() is no substitute: it returns the owner of the script.
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
            return "open_basedir does not let PHP use {$path}; this process runs as "
                .self::userName(self::currentUser()).'.';
        }

        while (! @file_exists($path) && $path !== dirname($path)) {
            $path = dirname($path);
        }

        $owner = PhpRestrictions::call('fileowner', $path);

        return (! is_int($owner) ? '' : "{$path} belongs to ".self::userName($owner).'; ').'this process runs as '
            .self::userName(self::currentUser()).'.';
    }

    /** @throws UnableToAppend */
    public function makeDirectory(string $path): void
    {
        // The root and the directories above it may be links, because an administrator set them up. A link below the
        // root is refused.
        if ($this->root !== null && str_starts_with($path, "{$this->root}/") && is_link($path)) {
            throw UnableToAppend::directoryNotCreated(
                $path,
                'a symbolic link is in its place, which the buffer does not follow',
                self::ownership($path),
            );
        }

        if (is_dir($path)) {
            return;
        }

        if (PhpRestrictions::hide($path)) {
            throw UnableToAppend::directoryNotCreated($path, 'it lies outside open_basedir', self::ownership($path));
        }

        $parent = dirname($path);

        if (! is_dir($parent) && $parent !== $path) {
            $this->makeDirectory($parent);
        }

        $isOfBuffer = $this->root === null || $path === $this->root || str_starts_with($path, "{$this->root}/");

        // Two processes may create it at the same time, and mkdir() fails in the second one.
        $reason = '';

        if (! FileOperation::run(fn (): bool => mkdir($path, $isOfBuffer ? $this->directory : 0777), $reason)) {
            clearstatcache();

            if (! is_dir($path)) {
                throw UnableToAppend::directoryNotCreated($path, $reason, self::ownership($path));
            }

            return;
        }

        // mkdir() applies the umask, and most umasks remove the group's permission to write.
        if ($isOfBuffer) {
            PhpRestrictions::call('chmod', $path, $this->directory);
        }
    }
}
