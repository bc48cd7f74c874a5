<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Spool\Exceptions\ForeignFile;
use Headroom\Spool\Exceptions\PartiallyFlushed;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\DeadLetters\DeadLetterDirectory;
use Headroom\Spool\FileStore\DeadLetters\RetrySegment;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Fsync\Sync;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Store\State\StateRecord;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\RegularFile;

/**
 * Seals active segments: gives each the next sequence number and renames it, while it holds the lock of the file.
 *
 * The number and the count of events are in the state file before the rename. If the sealer dies before the rename, the
 * inode in the state file is still that of an active segment, and the next flusher takes the number back.
 *
 * @internal
 */
final readonly class Sealer
{
    /** A locked segment is tried this many times, a millisecond apart, and is then left for the next round. */
    private const TRIES = 4;

    /** A power cut cannot make the state lose this many segments. No sealer has named a file with a higher number. */
    private const MAX_FORGOTTEN = 100_000;

    /**
     * @param bool $isSynced whether a sealed segment is put on disk before anything relies on it
     * @param bool $isUnchanged true when no other process has written the state since this process made it agree with
     *     the directories
     */
    public function __construct(
        private Layout $layout,
        private StateFile $state,
        private DeadLetterDirectory $letters,
        private Clock $clock,
        private ?FaultPoint $faultPoint = null,
        private bool $isSynced = false,
        private bool $isUnchanged = false,
    ) {}

    /**
     * @return ?UnableToFlush the error of a segment that could not be sealed (owned by another user, for example); all
     *     others are sealed
     *
     * @throws UnableToFlush
     */
    public function sealAll(): ?UnableToFlush
    {
        $this->reconcile();
        $this->removeRetriedLetters();

        $failures = [];
        $duplicates = new DuplicateSegments($this->layout, $this->state->read()->sealed, $this->isSynced);

        foreach ((new DirectoryListing($this->layout->active))->activeSegments() as $name) {
            $failure = $this->seal("{$this->layout->active}/{$name}", $duplicates);

            if ($failure !== null) {
                $failures[] = $failure;
            }
        }

        // The inode is cleared in memory, and the state file may keep it until the flush saves its progress or the
        // lease ends. Until then the sealed segment exists, so no other file gets its inode. Later a new active segment
        // may get it.
        if ($this->state->read()->lastInode !== 0) {
            $this->state->amend($this->state->read()->sealCompleted());
        }

        return $failures === [] ? null : PartiallyFlushed::segmentsLeftOut($failures[0], count($failures) - 1);
    }

    /** Makes the state and the directories agree again after a crash between the write of the state and the rename. */
    private function reconcile(): void
    {
        $record = $this->state->read();
        // When the state is as this process left it, the completed directory need not be listed. A state file that was
        // restored from a backup is recognized by the segment that follows its last one.
        $isKnown = $this->isUnchanged
            && $record->lastInode === 0
            && ! RegularFile::exists($this->layout->completedSegment($record->sealed + 1));
        $highest = max(
            $isKnown ? $record->sealed : 0,
            0,
            ...(new DirectoryListing($this->layout->sealed))->segments(),
            ...($isKnown ? [] : (new DirectoryListing($this->layout->completed))->segments()),
        );

        if ($highest - $record->sealed > self::MAX_FORGOTTEN) {
            throw ForeignFile::numberTooHigh($this->layout->sealedSegment($highest), $record->sealed);
        }

        if ($highest > $record->sealed) {
            $this->adopt($record, $highest);

            return;
        }

        if ($record->sealed > $highest && $record->lastInode !== 0 && $this->isStillActive($record->lastInode)) {
            $this->state->write($record->sealUndone());
        }
    }

    /**
     * Adds the segments that the state has forgotten, with the counts of their events. Only a power cut can keep a
     * rename and lose the state that was written before it.
     */
    private function adopt(StateRecord $record, int $highest): void
    {
        while ($record->sealed < $highest) {
            $next = $record->sealed + 1;
            $path = $this->layout->sealedSegment($next);
            $file = RegularFile::open(
                RegularFile::exists($path) ? $path : $this->layout->completedSegment($next),
                're',
            );
            $record = $record->sealing(0, $file === false ? 0 : $this->count($file));

            if ($file !== false) {
                fclose($file);
            }
        }

        $this->state->write($record);
    }

    private function isStillActive(int $inode): bool
    {
        foreach ((new DirectoryListing($this->layout->active))->activeSegments() as $name) {
            if (RegularFile::inode("{$this->layout->active}/{$name}") === $inode) {
                return true;
            }
        }

        return false;
    }

    /** @param ?DuplicateSegments $duplicates null when the file is known not to be a duplicate */
    private function seal(string $path, ?DuplicateSegments $duplicates): ?UnableToFlush
    {
        $reason = '';
        $file = RegularFile::open($path, 'r+e', $reason);

        if ($file === false) {
            return RegularFile::exists($path) ? BufferFile::refusal('read active segment', $path, $reason) : null;
        }

        $isLocked = $this->lock($file);
        $isCut = $isLocked
            && RegularFile::inode($path) === (fstat($file)['ino'] ?? null)
            && $duplicates?->cut($file, $path) === true;
        $failure = $isLocked && ! $isCut ? $this->rename($file, $path) : null;
        fclose($file);

        return $isCut ? $this->seal($path, null) : $failure;
    }

    /** @param resource $file */
    private function lock($file): bool
    {
        for ($try = 1; ! flock($file, LOCK_EX | LOCK_NB); $try++) {
            if ($try === self::TRIES) {
                return false;
            }

            $this->clock->sleep(1000);
        }

        return true;
    }

    /** @param resource $file locked */
    private function rename($file, string $path): ?UnableToFlush
    {
        $stat = fstat($file);

        if ($stat === false || $stat['size'] === 0 || RegularFile::inode($path) !== $stat['ino']) {
            return null;
        }

        if ($stat['nlink'] > 1 && ($segment = $this->segmentOf($stat['ino'])) !== null) {
            return ForeignFile::hardLink($path, $segment);
        }

        $reason = '';
        $hasSeal = FileOperation::run(fn (): bool => $this->appendSeal($file, $stat['size']), $reason);
        $this->faultPoint?->reached('seal.put');

        if (! $hasSeal) {
            return StorageUnavailable::notPermitted(
                'put the seal on active segment',
                $path,
                $reason,
                Permissions::ownership($path),
            );
        }

        $this->sync($path);
        // The events are counted with the seal in place, as every later reader sees the file: the bytes behind a frame
        // can show that it was cut.
        $before = $this->state->read();
        $record = $before->sealing($stat['ino'], $this->count($file), RetrySegment::isRetrySegment($path));
        $this->faultPoint?->reached('seal.counted');
        $this->state->write($record);
        $this->faultPoint?->reached('seal.noted');
        // The lock is checked as late as possible: a process that has taken it over gives the same number to another
        // segment.
        $this->state->checkLock();

        if (
            ! FileOperation::run(fn (): bool => rename($path, $this->layout->sealedSegment($record->sealed)), $reason)
        ) {
            $this->state->write($before);

            return StorageUnavailable::notPermitted(
                'rename active segment',
                $path,
                $reason,
                Permissions::ownership($path),
            );
        }

        $this->faultPoint?->reached('seal.renamed');
        // The rename must be on disk before the next state record is. If a power cut kept that record and lost the
        // rename, a segment would be missing, and the same file would be sealed under another number.
        $this->sync($this->layout->sealed);
        $this->sync($this->layout->active);
        $this->removeRetriedLetters();

        return null;
    }

    /**
     * Removes the dead letters of retried events, which are in the log again and not delivered yet.
     *
     * @throws UnableToFlush
     */
    private function removeRetriedLetters(): void
    {
        $retrySegment = $this->state->read()->retrySegment;

        if ($retrySegment === 0) {
            return;
        }

        $file = RegularFile::open($this->layout->sealedSegment($retrySegment), 're');

        foreach ($file === false ? [] : RetrySegment::letters($file) as $position) {
            $this->letters->replaceWithTombstone($position);
            $this->faultPoint?->reached('letter.removed');
        }

        $this->state->write($this->state->read()->lettersRemoved());
    }

    /**
     * A failure stops this round. The next round takes the number back and continues; the delivery position is saved.
     */
    private function sync(string $path): void
    {
        $failure = $this->isSynced ? Sync::path($path) : null;

        if ($failure !== null) {
            throw StorageUnavailable::notOnDisk($failure);
        }
    }

    /**
     * Finds a segment with the same inode. Under a second name its events would be sealed and delivered a second time.
     */
    private function segmentOf(int $inode): ?string
    {
        foreach ([
            ...(new DirectoryListing($this->layout->sealed))->segments(),
            ...(new DirectoryListing($this->layout->completed))->segments(),
        ] as $sequence) {
            foreach ([$this->layout->sealedSegment($sequence), $this->layout->completedSegment($sequence)] as $path) {
                if (RegularFile::inode($path) === $inode) {
                    return $path;
                }
            }
        }

        return null;
    }

    /**
     * Makes the size odd. A writer that opened the file earlier and gets its lock after the rename sees by the odd size
     * that the file is sealed. The zeros are a hole in the file and take no disk space, so a flush can seal and deliver
     * on a full disk.
     *
     * @param resource $file locked
     */
    private function appendSeal($file, int $size): bool
    {
        return $this->hasSeal($file, $size) || ftruncate($file, max(0, $size) + Frame::SEAL_BYTES + 1 - $size % 2);
    }

    /**
     * Whether the file has the seal of a sealer that was killed before its rename.
     *
     * @param resource $file
     */
    private function hasSeal($file, int $size): bool
    {
        if ($size % 2 === 0) {
            return false;
        }

        fseek($file, -Frame::SEAL_BYTES, SEEK_END);

        return fread($file, Frame::SEAL_BYTES) === str_repeat("\0", Frame::SEAL_BYTES);
    }

    /**
     * Counts the events of the file. The delivery reads the bytes a second time. Both reads are needed: the count must
     * be in the state before the rename, and a process that continues after a crash has only the file.
     *
     * @param resource $file
     * @return int<0, max>
     */
    private function count($file): int
    {
        $count = 0;

        foreach ((new SegmentReader($file))->read() as $item) {
            $count += $item instanceof Frame ? $item->count : 0;
        }

        return $count;
    }
}
