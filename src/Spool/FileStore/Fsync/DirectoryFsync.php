<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Fsync;

use Headroom\Spool\BucketConfig;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;

/**
 * What the files of a bucket hang from: the entries of all directories above them, the node id and the state file. Once
 * these are on disk, an empty file says so, since they stay as they are. That file itself need not be on disk: where a
 * power cut took it, they are put there again.
 *
 * @internal
 */
final readonly class DirectoryFsync
{
    public function __construct(private string $root, private Layout $layout, private Permissions $permissions) {}

    /**
     * Whether a flush is to put on disk what it relies on: as the settings say, or because somebody was promised so who wrote
     * with other settings than the flush's, as a collector does where the bucket says nothing.
     */
    public static function isPromised(?BucketConfig $config, Layout $layout): bool
    {
        clearstatcache(true, $layout->anchored);

        return $config?->durability->isSynced() === true || file_exists($layout->anchored);
    }

    /** @return ?string what is not on disk; null when all is */
    public function hold(): ?string
    {
        clearstatcache();

        if (file_exists($this->layout->anchored)) {
            return null;
        }

        // The content before the entry that shows it.
        $failure = file_exists($this->layout->stateFile) ? Sync::path($this->layout->stateFile) : null;
        $failure ??= Sync::path($this->layout->directory) ?? Sync::path(dirname($this->layout->directory)) ?? self::holdRoot($this->root);

        if ($failure === null) {
            $file = $this->permissions->open($this->layout->anchored, 'xe');

            if ($file !== false) {
                fclose($file);
            }
        }

        return $failure;
    }

    /** @return ?string what is not on disk; null when all is */
    public static function holdRoot(string $root): ?string
    {
        $failure = Sync::path("{$root}/node") ?? Sync::path($root);
        $device = self::device($root);

        // Which of these the package made, nobody knows any more. What lies on another disk was there before; what this
        // user can not read, it could not have made.
        for ($above = dirname($root); $failure === null && $device !== null && self::device($above) === $device; $above = dirname($above)) {
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
