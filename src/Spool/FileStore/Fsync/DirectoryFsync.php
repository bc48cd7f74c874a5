<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Fsync;

use Headroom\Spool\BucketConfig;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;

/**
 * Puts on disk what a bucket's files depend on: the entries of all directories above them, the node id and the state
 * file. They do not change afterwards, so an empty marker file (Layout::$syncedMarker) notes that they are on disk. The
 * marker itself need not be on disk: when a power cut removes it, the next call syncs everything again.
 *
 * @internal
 */
final readonly class DirectoryFsync
{
    public function __construct(private string $root, private Layout $layout, private Permissions $permissions) {}

    /**
     * Whether a flush must put on disk what it relies on. It must when the flush's settings say so, and also when a
     * writer with other settings has promised it: a collector does that for a bucket without a durability of its own.
     */
    public static function isPromised(?BucketConfig $config, Layout $layout): bool
    {
        clearstatcache(true, $layout->syncedMarker);

        return $config?->durability->isSynced() === true || file_exists($layout->syncedMarker);
    }

    /** @return ?string what is not on disk; null when all is */
    public function sync(): ?string
    {
        clearstatcache();

        if (file_exists($this->layout->syncedMarker)) {
            return null;
        }

        // The content of the state file is synced before the directory entry through which it is found.
        $failure = file_exists($this->layout->stateFile) ? Sync::path($this->layout->stateFile) : null;
        $failure ??= Sync::path($this->layout->directory)
            ?? Sync::path(dirname($this->layout->directory))
            ?? self::syncRoot($this->root);

        if ($failure === null) {
            $file = $this->permissions->open($this->layout->syncedMarker, 'xe');

            if ($file !== false) {
                fclose($file);
            }
        }

        return $failure;
    }

    /** @return ?string what is not on disk; null when all is */
    public static function syncRoot(string $root): ?string
    {
        $failure = Sync::path("{$root}/node") ?? Sync::path($root);
        $device = self::device($root);

        // It is not recorded which of these directories the package created. A directory on another device existed
        // before. A directory that this user cannot read was not created by it.
        for ($above = dirname($root); $failure === null
            && $device !== null
            && self::device($above) === $device; $above = dirname($above)) {
            $failure = @is_readable($above) ? Sync::path($above) : null;

            if ($above === dirname($above)) {
                break;
            }
        }

        return $failure;
    }

    private static function device(string $path): ?int
    {
        $stat = @stat($path);

        return $stat === false ? null : $stat['dev'];
    }
}
