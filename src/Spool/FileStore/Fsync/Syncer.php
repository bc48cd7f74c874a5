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
 * The sync of `durability` = `interval`: in each round the worker puts on disk the frames that writers have appended
 * since the last round. It takes no lock of an active segment, so that no writer finds its segment busy.
 *
 * @internal
 */
final class Syncer
{
    /** @var array<int, array{int, int}> by inode: size and second of each active segment at its last sync */
    private array $synced = [];

    private readonly SyncLease $lease;

    public function __construct(
        private readonly string $root,
        private readonly Layout $layout,
        private readonly Permissions $permissions,
        private readonly Clock $clock,
    ) {
        $this->lease = new SyncLease($layout, $permissions, $clock);
    }

    /** @throws UnableToFlush when one of the files could not be synced; the others are on disk */
    public function round(): void
    {
        if (! is_dir($this->layout->active)) {
            return;
        }

        $failure = (new DirectoryFsync($this->root, $this->layout, $this->permissions))->sync();
        $before = $this->synced;
        $this->synced = [];

        foreach ((new DirectoryListing($this->layout->active))->activeSegments() as $name) {
            $failure = $this->syncSegment("{$this->layout->active}/{$name}", $before) ?? $failure;
        }

        // Puts the directory entries of new segments on disk.
        if (array_diff_key($this->synced, $before) !== []) {
            $failure = Sync::path($this->layout->active) ?? $failure;
        }

        if ($failure !== null) {
            $this->synced = [];

            throw StorageUnavailable::notOnDisk($failure);
        }

        $this->lease->renew();
    }

    /**
     * @param array<int, array{int, int}> $before
     * @return ?string why it is not on disk
     */
    private function syncSegment(string $path, array $before): ?string
    {
        $file = @fopen($path, 're');
        $stat = $file === false ? false : fstat($file);

        if ($file === false || $stat === false) {
            clearstatcache();

            // A missing file was sealed in the meantime, and the sealer put it on disk.
            return file_exists($path) ? "{$path} cannot be opened. ".Permissions::ownership($path) : null;
        }

        [$size, $second] = $before[$stat['ino']] ?? [0, 0];
        $isOnDisk = true;

        // Equal sizes do not mean equal content: within a second a frame may be cut off and another of the same size
        // written.
        if ($stat['size'] !== $size || $stat['mtime'] >= $second) {
            $second = intdiv($this->clock->micros(), 1_000_000) - 1;
            $isOnDisk = PhpRestrictions::call('fdatasync', $file) === true;
        }

        fclose($file);
        $this->synced[$stat['ino']] = [$stat['size'], $second];

        return $isOnDisk ? null : Sync::failure('fdatasync', $path);
    }
}
