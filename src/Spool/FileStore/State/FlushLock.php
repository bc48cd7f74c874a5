<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Spool\Exceptions\ForeignFile;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\EffectiveUser;
use Headroom\Support\PhpRestrictions;

/**
 * Allows one flusher per bucket. The kernel releases the lock when the process ends, so the lock needs no timeout and
 * never has to be broken.
 *
 * @internal
 */
final class FlushLock
{
    private const TRIES = 20;

    /** @param resource $file */
    private function __construct(private $file, private readonly string $path, private readonly int $inode) {}

    /**
     * Called when the bucket is created: a flush that has to free space on a disk without free inodes must not need
     * one.
     */
    public static function preallocate(Layout $layout, Permissions $permissions): void
    {
        $file = file_exists($layout->flushLock) ? false : $permissions->open($layout->flushLock, 'xe');

        if ($file !== false) {
            fclose($file);
        }
    }

    /** @throws UnableToFlush */
    public static function acquire(
        Layout $layout,
        Permissions $permissions,
        Clock $clock,
        ?FaultPoint $faultPoint = null,
    ): ?self {
        foreach ($layout->links() as $link) {
            throw ForeignFile::notRegular($link, 'a symbolic link');
        }

        $reason = '';
        $file = $permissions->open($layout->flushLock, 'ce', $reason);

        if ($file === false) {
            throw BufferFile::refusal('lock', $layout->flushLock, $reason);
        }

        $faultPoint?->reached('lock.opened');

        for ($try = 1; ! flock($file, LOCK_EX | LOCK_NB); $try++) {
            // A process that only checks the lock holds it shared for a moment. A flusher always holds it exclusively,
            // so if this process can share it, no flusher has it.
            if ($try === self::TRIES || ! flock($file, LOCK_SH | LOCK_NB)) {
                fclose($file);

                return null;
            }

            flock($file, LOCK_UN);
            $clock->sleep(500);
        }

        $stat = fstat($file);
        clearstatcache();

        // The file was removed while it was locked, and another process may hold a new file of the same name.
        if ($stat === false || @fileinode($layout->flushLock) !== $stat['ino']) {
            fclose($file);

            return null;
        }

        if (($stat['mode'] & 0777) !== $permissions->file) {
            // chmod() follows a link, and the directory's owner may have put one there since. So it runs with the
            // owner's rights.
            EffectiveUser::in(dirname($layout->flushLock))
                ->during(static fn (): mixed => PhpRestrictions::call('chmod', $layout->flushLock, $permissions->file));
        }

        return new self($file, $layout->flushLock, $stat['ino']);
    }

    /**
     * Sets the file's modification time: requests see by it whether anything flushes the bucket. ftruncate() takes the
     * open file, so no symbolic link can lead it to another file, and it needs no free space. The size stays, because
     * the name may be a hard link to a file with data.
     */
    public function stamp(): void
    {
        PhpRestrictions::call('ftruncate', $this->file, fstat($this->file)['size'] ?? 0);
    }

    /** False once the file was removed: a process that creates it again also flushes, so this process must stop. */
    public function isHeld(): bool
    {
        clearstatcache();

        return @fileinode($this->path) === $this->inode;
    }

    public function release(): void
    {
        fclose($this->file);
    }
}
