<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Spool\Exceptions\BucketBusy;
use Headroom\Spool\Exceptions\CorruptState;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\Exceptions\UnsupportedFormat;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\Fsync\Sync;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Store\DeliveryState;
use Headroom\Spool\Store\StateRecord;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;
use Throwable;

/**
 * Two records in turn, each in a block of its own, in a file that has its full size from the beginning: a torn write
 * costs at most the newer record, and progress needs no free disk. Written only under the flush lock.
 *
 * @internal
 */
final class StateFile
{
    private const BLOCK = 4096;

    private const MAGIC = "\xF5HS\x01";

    private const OVERHEAD = 20;

    private ?StateRecord $record = null;

    private int $generation = 0;

    private int $found = 0;

    /**
     * @param ?FlushLock $lock null for those who only read
     * @param bool $isSynced each record is on disk before it is relied on, and before the other one is written over
     */
    public function __construct(
        private readonly string $path,
        private readonly Permissions $permissions,
        private readonly ?FlushLock $lock = null,
        private readonly bool $isSynced = false,
    ) {}

    /**
     * @throws UnableToFlush
     */
    public function read(): StateRecord
    {
        if ($this->record !== null) {
            return $this->record;
        }

        if (! BufferFile::isThere($this->path)) {
            return $this->record = new StateRecord(DeliveryState::fresh());
        }

        $content = $this->content();

        foreach ([0, 1] as $block) {
            [$generation, $json] = $this->decode(substr($content, $block * self::BLOCK, self::BLOCK));

            if ($generation > $this->generation) {
                $this->record = $this->understood($json);
                $this->generation = $this->found = $generation;
            }
        }

        return $this->record ?? throw CorruptState::ofBothRecords($this->path);
    }

    private function content(): string
    {
        $reason = '';
        $content = BufferFile::read($this->path, 2 * self::BLOCK, $reason);

        return $content === false ? throw BufferFile::refusal('read', $this->path, $reason) : $content;
    }

    private function understood(string $json): StateRecord
    {
        try {
            // A member that is missing is a warning to PHP, and null.
            return FileOperation::run(static fn (): StateRecord => StateRecord::fromJson($json));
        } catch (Throwable $e) {
            throw UnsupportedFormat::ofState($this->path, $e->getMessage());
        }
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
        $block = $this->encode($generation, $record->toJson());

        // One byte more would be the beginning of the other record, which is the last one that is whole.
        if (strlen($block) !== self::BLOCK) {
            throw StorageUnavailable::stateNotWritten($this->path, 'its record would take '.strlen($block).' bytes, and '.self::BLOCK.' are what it has');
        }

        if ($generation === 1) {
            $this->create($block);
        } else {
            $this->overwrite($generation % 2, $block);
        }

        $this->generation = $generation;
        $this->record = $record;
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

        $own = "{$this->path}.".bin2hex(random_bytes(4)).'.new';
        $file = $this->permissions->open($own, 'xe');

        if ($file !== false) {
            $fresh = str_repeat("\0", self::BLOCK).$this->encode(1, (new StateRecord(DeliveryState::fresh()))->toJson());
            $isWhole = @fwrite($file, $fresh) === strlen($fresh) && $this->isOnDisk($file);
            fclose($file);
            $isWhole && @link($own, $this->path);
            @unlink($own);
        }
    }

    /** Whole under its name or not there at all; generation 1 goes to the second block. */
    private function create(string $block): void
    {
        $new = "{$this->path}.new";

        // What a crash has left may belong to another user.
        @unlink($new);
        $reason = '';
        $file = $this->permissions->open($new, 'xe', $reason);

        if ($file === false || FileOperation::run(static fn () => fwrite($file, str_repeat("\0", self::BLOCK).$block), $reason) !== 2 * self::BLOCK) {
            throw StorageUnavailable::stateNotWritten($new, $reason);
        }

        $isOnDisk = $this->isOnDisk($file);
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
        $file = BufferFile::open($this->path, 'r+e', $reason);

        if ($file === false) {
            throw BufferFile::refusal('write', $this->path, $reason);
        }

        fseek($file, $index * self::BLOCK);
        $written = FileOperation::run(static fn () => fwrite($file, $block), $reason);
        $isOnDisk = $this->isOnDisk($file);
        fclose($file);

        if ($written !== self::BLOCK || ! $isOnDisk) {
            throw StorageUnavailable::stateNotWritten($this->path, $written === self::BLOCK ? Sync::failure('fsync', $this->path) : $reason);
        }
    }

    /** @param resource $file not written to again */
    private function isOnDisk($file): bool
    {
        return ! $this->isSynced || PhpRestrictions::call('fsync', $file) === true;
    }

    private function encode(int $generation, string $json): string
    {
        $record = self::MAGIC.pack('JN', $generation, strlen($json)).$json;

        return str_pad($record.hash('crc32c', $record, true), self::BLOCK, "\0");
    }

    /** @return array{int, string} generation 0 when the block holds no valid record */
    private function decode(string $block): array
    {
        if (strlen($block) < self::OVERHEAD || ! str_starts_with($block, self::MAGIC)) {
            return [0, ''];
        }

        /** @var array{generation: int, length: int} $header */
        $header = unpack('Jgeneration/Nlength', $block, 4);
        $end = self::OVERHEAD - 4 + $header['length'];

        return hash('crc32c', substr($block, 0, $end), true) === substr($block, $end, 4)
            ? [$header['generation'], substr($block, 16, $header['length'])]
            : [0, ''];
    }
}
