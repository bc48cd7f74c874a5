<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Spool\Exceptions\BucketBusy;
use Headroom\Spool\Exceptions\CorruptState;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\Fsync\Sync;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Store\State\DeliveryState;
use Headroom\Spool\Store\State\StateRecord;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\RegularFile;

/**
 * The state file of a bucket. It is written only under the flush lock, and saving progress needs no free disk space.
 *
 * @internal
 */
final class StateFile
{
    private const MAGIC = "\xF5HS\x01";

    private readonly ChecksummedFile $file;

    private ?StateRecord $record = null;

    private int $generation = 0;

    private int $initialGeneration = 0;

    /** Whether the record in memory is not in the file yet. */
    private bool $isAmended = false;

    /**
     * @param ?FlushLock $lock null for a process that only reads
     * @param bool $isSynced whether each record is put on disk before it is relied on, and before the other one is
     *     overwritten
     */
    public function __construct(
        private readonly string $path,
        private readonly Permissions $permissions,
        private readonly ?FlushLock $lock = null,
        private readonly bool $isSynced = false,
    ) {
        $this->file = new ChecksummedFile($path, self::MAGIC, $isSynced);
    }

    /** @throws UnableToFlush */
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
        $this->generation = $this->initialGeneration = $generation;

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
     * @return int the generation before this process wrote; 0 when there was no file
     *
     * @throws UnableToFlush
     */
    public function initialGeneration(): int
    {
        $this->read();

        return $this->initialGeneration;
    }

    /** @throws UnableToFlush */
    public function write(StateRecord $record): void
    {
        $this->checkLock();
        $generation = $this->generation + 1;
        $block = $this->file->encode($generation, $record->toJson());

        // A longer block would overwrite the beginning of the other record, the last valid one.
        if (strlen($block) !== ChecksummedFile::BLOCK) {
            throw StorageUnavailable::stateNotWritten(
                $this->path,
                'its record has '.strlen($block).' bytes, and the limit is '.ChecksummedFile::BLOCK,
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

    /** Leaves a change to the next write. A crash before that write undoes only this change. */
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
     * A flusher that was stopped while its lock file was removed must not overwrite a newer state with an old one.
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
     * Called when the bucket is created: a flush that has to free space on a full disk must not need space. No lock is
     * needed, because link() never replaces an existing file.
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

    /** Creates the file by a rename, so that it is complete or absent. Generation 1 is in the second block. */
    private function create(string $block): void
    {
        $new = "{$this->path}.new";

        // A file that a crash has left may belong to another user.
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
