<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Fsync;

use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\UnableToCall;

/**
 * The steps that `durability` = `power` adds to an append. Before the append returns, its frame is on disk, and so is
 * everything through which a reader finds the frame.
 *
 * The active segment's entry in its directory is on disk before its first frame is written, and the header frame has a
 * flag that says so. A writer that reads the flag need not sync the directory, even if the process that created the
 * segment died.
 *
 * @internal
 */
final readonly class PowerSync
{
    /**
     * Abandoned segments get numbers from this one on. No writer opens a segment with such a number, and every sealer
     * seals it.
     */
    private const ABANDONED_FROM = 1024;

    private const MAX_ABANDONED = 8;

    /**
     * Checked before the frame is written: a frame that can neither be synced nor cut off again must not be written.
     */
    public const REQUIRED_FUNCTIONS = ['fdatasync', 'fsync', 'ftruncate'];

    public function __construct(private SpoolConfig $config, private string $bucket) {}

    /**
     * Puts the root and its node id on disk. That comes before the first directory below the root is created: if a
     * power cut took the id and left a bucket, the loss would look like an id that a person removed.
     *
     * @throws UnableToAppend
     */
    public function syncRoot(): void
    {
        self::requireFunctions();
        $failure = DirectoryFsync::syncRoot($this->config->path);

        if ($failure !== null) {
            throw UnableToAppend::directoryEntryNotSynced($this->config->path, $failure);
        }
    }

    /**
     * Opens a second handle for the sync. It is opened before the frame is written, because the kernel (errseq, 4.13)
     * reports to a handle only the write errors that follow its opening.
     *
     * @param resource $segment the active segment, locked and in its place
     * @param int $size 0 when the frame to be written is the first
     * @return resource the second handle
     *
     * @throws UnableToAppend
     */
    public function begin($segment, string $path, int $size)
    {
        try {
            self::requireFunctions();
        } catch (UnableToAppend $e) {
            $this->release($segment, null);

            throw $e;
        }

        $reader = @fopen($path, 're');

        if ($reader === false) {
            $this->release($segment, null);

            throw UnableToAppend::directoryEntryNotSynced($path, "{$path} cannot be opened for reading");
        }

        stream_set_read_buffer($reader, 0);
        $failure = $size > 0 && fread($reader, strlen(Frame::ENTRY_SYNCED)) === Frame::ENTRY_SYNCED
            ? null
            : $this->syncEntry();

        if ($failure !== null) {
            $this->release($segment, $reader);

            throw UnableToAppend::directoryEntryNotSynced($path, $failure);
        }

        return $reader;
    }

    /**
     * @param resource $reader
     * @param resource $segment
     * @param int $size of the file before the frame
     *
     * @throws UnableToAppend
     */
    public function finish($reader, $segment, string $path, int $size): void
    {
        if (@fdatasync($reader)) {
            return;
        }

        // After the failure the kernel marks the pages as clean, so another fdatasync() would succeed without writing
        // them. The frame is cut off, and the sync puts the new size on disk. No writer appends to this file again.
        $cut = @ftruncate($segment, max(0, $size));
        $after = fstat($segment)['size'] ?? -1;
        $isCutOnDisk = $cut && $after === $size && @fsync($reader);
        $this->abandon($path);
        $this->release($segment, $reader);

        throw match (true) {
            ! $cut || $after !== $size => UnableToAppend::notTruncated($path, $after, $size),
            ! $isCutOnDisk => UnableToAppend::truncationNotSynced($path),
            default => UnableToAppend::notSynced($path),
        };
    }

    private static function requireFunctions(): void
    {
        foreach (self::REQUIRED_FUNCTIONS as $function) {
            function_exists($function) || throw UnableToAppend::because(UnableToCall::switchedOff($function));
        }
    }

    /** @return ?string what is not on disk; null when the segment's entry and all above it are */
    private function syncEntry(): ?string
    {
        $layout = new Layout($this->config->path, $this->bucket);

        return (new DirectoryFsync($this->config->path, $layout, Permissions::of($this->config)))->sync()
            ?? Sync::path($layout->active);
    }

    /**
     * Renames the file to a number that no writer tries. A free name stays free: only the process that holds the lock
     * of this segment renames to it, and the next segment of the same number is created after the rename.
     */
    private function abandon(string $path): void
    {
        $number = (int) substr($path, -8, 4);

        for ($times = 1; $times <= self::MAX_ABANDONED; $times++) {
            $newPath = substr($path, 0, -8)
                .sprintf('%04d.log', $number % self::ABANDONED_FROM + $times * self::ABANDONED_FROM);
            clearstatcache();

            if (! file_exists($newPath)) {
                @rename($path, $newPath);

                return;
            }
        }
    }

    /**
     * @param resource $segment
     * @param ?resource $reader
     */
    private function release($segment, $reader): void
    {
        if ($reader !== null) {
            fclose($reader);
        }

        // A forked child may have the file open as well, and closing it here would not release the lock.
        flock($segment, LOCK_UN);
        fclose($segment);
    }
}
