<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Spool\Exceptions\BucketBusy;
use Headroom\Spool\Exceptions\CorruptState;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\Fsync\Sync;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Store\DeliveryState;
use Headroom\Spool\Store\StateRecord;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\RegularFile;

/**
 * The state of a bucket. Written only under the flush lock; progress needs no free disk.
 *
 * @internal
 */
final class StateFile
{
    private const MAGIC = "\xF5HS\x01";

    private readonly ChecksummedFile $file;

    private ?StateRecord $record = null;

    private int $generation = 0;

    private int $found = 0;

    /** The record in memory is not in the file yet. */
    private bool $isAmended = false;

    /**
     * @param ?FlushLock $lock null for those who only read
     * @param bool $isSynced each record is on disk before it is relied on, and before the other one is written over
     */
    public function __construct(
        private readonly string $path,
        private readonly Permissions $permissions,
        private readonly ?FlushLock $lock = null,
        private readonly bool $isSynced = false,
    ) {
        $this->file = new ChecksummedFile($path, self::MAGIC, $isSynced);
    }

    /**
     * @throws UnableToFlush
     */
    public function read(): StateRecord
    {
        if ($this->record !== null) {
            return $this->record;
        }

        if (! RegularFile::exists($this->path)) {
            return $this->record = new StateRecord(DeliveryState::fresh());
        }

        [$generation, $json] = $this->file->newest($this->content());

        if ($generation === 0) {
            throw CorruptState::ofBothRecords($this->path);
        }

        $this->record = StateRecord::fromJson($json, $this->path);
        $this->generation = $this->found = $generation;

        return $this->record;
    }

    private function content(): string
    {
        $reason = '';
        $content = RegularFile::read($this->path, 2 * ChecksummedFile::BLOCK, $reason);

        return $content === false ? throw BufferFile::refusal('read', $this->path, $reason) : $content;
    }

    public function generation(): int
    {
        return $this->generation;
    }

    /**
     * @return int what it was before anything was written here; 0 when there was no file
     *
     * @throws UnableToFlush
     */
    public function found(): int
    {
        $this->read();

        return $this->found;
    }

    /** @throws UnableToFlush */
    public function write(StateRecord $record): void
    {
        $this->checkLock();
        $generation = $this->generation + 1;
        $block = $this->file->encode($generation, $record->toJson());

        // One byte more would be the beginning of the other record, which is the last one that is whole.
        if (strlen($block) !== ChecksummedFile::BLOCK) {
            throw StorageUnavailable::stateNotWritten(
                $this->path,
                'its record would take '.strlen($block).' bytes, and '.ChecksummedFile::BLOCK.' are what it has',
            );
        }

        if ($generation === 1) {
            $this->create($block);
        } else {
            $this->overwrite($generation % 2, $block);
        }

        $this->generation = $generation;
        $this->record = $record;
        $this->isAmended = false;
    }

    /** Leaves a change to the next write. A crash before it may undo the change, and nothing else. */
    public function amend(StateRecord $record): void
    {
        $this->record = $record;
        $this->isAmended = true;
    }

    /** @throws UnableToFlush */
    public function writeAmended(): void
    {
        if ($this->isAmended) {
            $this->write($this->read());
        }
    }

    /**
     * A flusher that was stopped while its lock's file was removed must not write an old state over a newer one.
     *
     * @throws UnableToFlush
     */
    public function checkLock(): void
    {
        if ($this->lock?->isHeld() === false) {
            throw BucketBusy::lockReplaced($this->path);
        }
    }

    /**
     * Made with the bucket, by whichever process writes to it first: a flush that has to make room on a full disk must
     * not need some. Nobody's lock is needed, since link() never replaces a file that is there.
     */
    public function preallocate(): void
    {
        if (! function_exists('link') || file_exists($this->path)) {
            return;
        }

        $this->file->preallocate(
            $this->permissions,
            (new StateRecord(DeliveryState::fresh()))->toJson(),
            fn (string $new): bool => @link($new, $this->path),
        );
    }

    /** Whole under its name or not there at all; generation 1 goes to the second block. */
    private function create(string $block): void
    {
        $new = "{$this->path}.new";

        // What a crash has left may belong to another user.
        @unlink($new);
        $reason = '';
        $file = $this->permissions->open($new, 'xe', $reason);

        $blocks = str_repeat("\0", ChecksummedFile::BLOCK).$block;

        if (
            $file === false
            || FileOperation::run(static fn () => fwrite($file, $blocks), $reason) !== strlen($blocks)
        ) {
            throw StorageUnavailable::stateNotWritten($new, $reason);
        }

        $isOnDisk = $this->file->isOnDisk($file);
        fclose($file);

        if (! $isOnDisk) {
            throw StorageUnavailable::stateNotWritten($new, Sync::failure('fsync', $new));
        }

        if (! FileOperation::run(fn (): bool => rename($new, $this->path), $reason)) {
            throw StorageUnavailable::stateNotWritten($this->path, $reason);
        }

        $failure = $this->isSynced ? Sync::path(dirname($this->path)) : null;

        if ($failure !== null) {
            throw StorageUnavailable::stateNotWritten($this->path, $failure);
        }
    }

    private function overwrite(int $index, string $block): void
    {
        $reason = '';
        $file = RegularFile::open($this->path, 'r+e', $reason);

        if ($file === false) {
            throw BufferFile::refusal('write', $this->path, $reason);
        }

        fseek($file, $index * ChecksummedFile::BLOCK);
        $written = FileOperation::run(static fn () => fwrite($file, $block), $reason);
        $isOnDisk = $this->file->isOnDisk($file);
        fclose($file);

        if ($written !== ChecksummedFile::BLOCK || ! $isOnDisk) {
            throw StorageUnavailable::stateNotWritten(
                $this->path,
                $written === ChecksummedFile::BLOCK ? Sync::failure('fsync', $this->path) : $reason,
            );
        }
    }
}
