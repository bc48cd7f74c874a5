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
 * One flusher per bucket: a lock that dies with its process, so there is nothing to time out or to break.
 *
 * @internal
 */
final class FlushLock
{
    private const TRIES = 20;

    /** @param resource $file */
    private function __construct(private $file, private readonly string $path, private readonly int $inode) {}

    /** Made with the bucket: a flush that has to make room on a disk without inodes must not need one. */
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
        ?FaultPoint $checkpoint = null,
    ): ?self {
        foreach ($layout->links() as $link) {
            throw ForeignFile::notRegular($link, 'a symbolic link');
        }

        $reason = '';
        $file = $permissions->open($layout->flushLock, 'ce', $reason);

        if ($file === false) {
            throw BufferFile::refusal('lock', $layout->flushLock, $reason);
        }

        $checkpoint?->reached('lock.opened');

        for ($try = 1; ! flock($file, LOCK_EX | LOCK_NB); $try++) {
            // A process that looks whether the lock is held shares it for that moment. A flusher never shares it.
            if ($try === self::TRIES || ! flock($file, LOCK_SH | LOCK_NB)) {
                fclose($file);

                return null;
            }

            flock($file, LOCK_UN);
            $clock->sleep(500);
        }

        $stat = fstat($file);
        clearstatcache();

        // Somebody removed the file while it was locked, and a third process may hold a new one of that name.
        if ($stat === false || @fileinode($layout->flushLock) !== $stat['ino']) {
            fclose($file);

            return null;
        }

        if (($stat['mode'] & 0777) !== $permissions->file) {
            // By name, which its owner may have given to a link since: with the owner's rights.
            EffectiveUser::in(dirname($layout->flushLock))
                ->during(static fn (): mixed => PhpRestrictions::call('chmod', $layout->flushLock, $permissions->file));
        }

        return new self($file, $layout->flushLock, $stat['ino']);
    }

    /** False once somebody has removed the file: then whoever makes it anew flushes, too, and this one must stop. */
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
