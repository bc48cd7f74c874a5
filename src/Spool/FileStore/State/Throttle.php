<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Core\Clock;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Support\PhpRestrictions;

/**
 * Something that is to be done about every so many seconds, by one process of many: the time of a file says when it was
 * done last. One look at it is all that it costs those whose turn it is not.
 *
 * @internal
 */
final readonly class Throttle
{
    /** Further ahead than anything is ever put off: somebody has set the clock back. */
    private const FURTHEST_SECONDS = 300;

    public function __construct(private string $path, private Permissions $permissions, private Clock $clock) {}

    public function isDue(int $seconds): bool
    {
        return $this->isOver($this->last(), $seconds);
    }

    /**
     * @return ?int when it was done last, in seconds since the Unix epoch, 0 for never;
     *     null when it is not this one's turn
     */
    public function take(int $seconds): ?int
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

        // Without a byte in it, it was only just made.
        $isTaken = ($last !== 0 || (int) @fwrite($file, '.') === 1) && $this->set($this->now());
        fclose($file);

        if ($last === 0) {
            RootDirectory::handOver($this->path);
        }

        return $isTaken ? $last : null;
    }

    /** Nobody's turn is before that. */
    public function putOff(int $seconds, int $interval): void
    {
        $this->set($this->now() + $seconds - $interval);
    }

    private function isOver(int $last, int $seconds): bool
    {
        $age = $this->now() - $last;

        return $age >= $seconds || $age < -self::FURTHEST_SECONDS;
    }

    private function last(): int
    {
        clearstatcache(true, $this->path);

        $stat = @stat($this->path);

        return $stat === false || $stat['size'] === 0 ? 0 : $stat['mtime'];
    }

    /** Only its owner may say which time; whoever else may write to it can say "now". */
    private function set(int $time): bool
    {
        // touch() makes a file where a link leads to.
        return ! is_link($this->path)
            && (PhpRestrictions::call('touch', $this->path, $time) === true
                || PhpRestrictions::call('touch', $this->path) === true);
    }

    private function now(): int
    {
        return intdiv($this->clock->micros(), 1_000_000);
    }
}
