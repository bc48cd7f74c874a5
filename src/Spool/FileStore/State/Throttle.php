<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Core\Clock;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Support\PhpRestrictions;

/**
 * Lets one of many processes run a task at an interval. The modification time of a file is the time of the last run. A
 * process whose turn it is not only reads the status of this file.
 *
 * @internal
 */
final readonly class Throttle
{
    /** No run is postponed for longer. A time further in the future means that the clock was set back. */
    private const MAX_POSTPONED_SECONDS = 300;

    public function __construct(private string $path, private Permissions $permissions, private Clock $clock) {}

    public function isDue(int $seconds): bool
    {
        return $this->isOver($this->last(), $seconds);
    }

    /**
     * @return ?int time of the last run in seconds since the Unix epoch, 0 when there was none; null when it is not
     *     this process's turn
     */
    public function claimTurn(int $seconds): ?int
    {
        if (! $this->isDue($seconds)) {
            return null;
        }

        $file = $this->permissions->open($this->path, 'ce');

        if ($file === false) {
            return null;
        }

        $last = flock($file, LOCK_EX | LOCK_NB) ? $this->last() : null;

        if ($last === null || ! $this->isOver($last, $seconds)) {
            fclose($file);

            return null;
        }

        // An empty file was only created and stands for no run.
        $isTaken = ($last !== 0 || (int) @fwrite($file, '.') === 1) && $this->set($this->now());
        fclose($file);

        if ($last === 0) {
            RootDirectory::giveToOwner($this->path);
        }

        return $isTaken ? $last : null;
    }

    /** Postpones the next run by that many seconds from now. */
    public function postpone(int $seconds, int $interval): void
    {
        $this->set($this->now() + $seconds - $interval);
    }

    private function isOver(int $last, int $seconds): bool
    {
        $age = $this->now() - $last;

        return $age >= $seconds || $age < -self::MAX_POSTPONED_SECONDS;
    }

    private function last(): int
    {
        clearstatcache(true, $this->path);

        $stat = @stat($this->path);

        return $stat === false || $stat['size'] === 0 ? 0 : $stat['mtime'];
    }

    /** Only the owner of a file may set an arbitrary time. Another user with write access may set the current time. */
    private function set(int $time): bool
    {
        // touch() would create the file that a symbolic link points to.
        return ! is_link($this->path)
            && (PhpRestrictions::call('touch', $this->path, $time) === true
                || PhpRestrictions::call('touch', $this->path) === true);
    }

    private function now(): int
    {
        return intdiv($this->clock->micros(), 1_000_000);
    }
}
