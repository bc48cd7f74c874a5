<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Fsync;

use Headroom\Core\Clock;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\PhpRestrictions;

/**
 * What `durability` = `interval` needs of a worker: it puts on disk what writers appended since the last round. It takes
 * no slot's lock, so that no writer finds its slot busy because of it.
 *
 * @internal
 */
final class Syncer
{
    /** @var array<int, array{int, int}> size and second of slots by inode, as they were when they were last put on disk */
    private array $synced = [];

    private readonly SyncLease $lock;

    public function __construct(
        private readonly string $root,
        private readonly Layout $layout,
        private readonly Permissions $permissions,
        private readonly Clock $clock,
    ) {
        $this->lock = new SyncLease($layout, $permissions, $clock);
    }

    /** @throws UnableToFlush something is not on disk; the others are */
    public function round(): void
    {
        if (! is_dir($this->layout->active)) {
            return;
        }

        $failure = (new DirectoryFsync($this->root, $this->layout, $this->permissions))->hold();
        $before = $this->synced;
        $this->synced = [];

        foreach ((new DirectoryListing($this->layout->active))->slots() as $name) {
            $failure = $this->slot("{$this->layout->active}/{$name}", $before) ?? $failure;
        }

        // The entries of slots that were not there before.
        if (array_diff_key($this->synced, $before) !== []) {
            $failure = Sync::path($this->layout->active) ?? $failure;
        }

        if ($failure !== null) {
            $this->synced = [];

            throw StorageUnavailable::notOnDisk($failure);
        }

        $this->lock->hold();
    }

    /**
     * @param array<int, array{int, int}> $before
     * @return ?string why it is not on disk
     */
    private function slot(string $path, array $before): ?string
    {
        $file = @fopen($path, 're');
        $stat = $file === false ? false : fstat($file);

        if ($file === false || $stat === false) {
            clearstatcache();

            // Sealed meanwhile, by somebody who put it on disk.
            return file_exists($path) ? "{$path} can not be opened. ".Permissions::ownership($path) : null;
        }

        [$size, $second] = $before[$stat['ino']] ?? [0, 0];
        $isOnDisk = true;

        // A frame that was cut back and another one can end at the same place within a second.
        if ($stat['size'] !== $size || $stat['mtime'] >= $second) {
            $second = intdiv($this->clock->micros(), 1_000_000) - 1;
            $isOnDisk = PhpRestrictions::call('fdatasync', $file) === true;
        }

        fclose($file);
        $this->synced[$stat['ino']] = [$stat['size'], $second];

        return $isOnDisk ? null : Sync::failure('fdatasync', $path);
    }
}
