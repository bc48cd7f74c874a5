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
use Headroom\Spool\FileStore\DeadLetters\Redrive;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Fsync\Sync;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Store\StateRecord;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;

/**
 * Turns slots into segments: gives each the next sequence number and renames it, while it holds the slot's lock.
 *
 * The number and the count are in the state file before the rename. A number whose file never came, its slot still under
 * the inode noted there, is taken back by the next flusher.
 *
 * @internal
 */
final readonly class Sealer
{
    /** A busy slot is tried so often, a millisecond apart, and left for the next round then. */
    private const TRIES = 4;

    /** More segments than any power cut could make the state forget; a name beyond was given by somebody else. */
    private const MOST_FORGOTTEN = 100_000;

    /**
     * @param bool $isSynced what is sealed is on disk before anything relies on it
     * @param bool $isAsLeft nobody has written the state since this process made it and the directories agree
     */
    public function __construct(
        private Layout $layout,
        private StateFile $state,
        private DeadLetterDirectory $letters,
        private Clock $clock,
        private ?FaultPoint $checkpoint = null,
        private bool $isSynced = false,
        private bool $isAsLeft = false,
    ) {}

    /**
     * @return ?UnableToFlush why a slot had to be left where it is, another user's say; all others are sealed
     *
     * @throws UnableToFlush
     */
    public function sealAll(): ?UnableToFlush
    {
        $this->reconcile();
        $this->removeLetters();

        $obstacles = [];
        $copies = new DuplicateSegments($this->layout, $this->state->read()->sealed, $this->isSynced);

        foreach ((new DirectoryListing($this->layout->active))->slots() as $name) {
            $obstacle = $this->seal("{$this->layout->active}/{$name}", $copies);

            if ($obstacle !== null) {
                $obstacles[] = $obstacle;
            }
        }

        if ($this->state->read()->lastInode !== 0) {
            $this->state->write($this->state->read()->settled());
        }

        return $obstacles === [] ? null : PartiallyFlushed::segmentsLeftOut($obstacles[0], count($obstacles) - 1);
    }

    /** Makes state and directory agree again after a crash between the two. */
    private function reconcile(): void
    {
        $record = $this->state->read();
        // Of what is known from before it is only asked whether the state was put back: what it has forgotten then begins with the next number.
        $isKnown = $this->isAsLeft && $record->lastInode === 0 && ! BufferFile::isThere($this->layout->completedSegment($record->sealed + 1));
        $highest = max($isKnown ? $record->sealed : 0, 0, ...(new DirectoryListing($this->layout->sealed))->segments(), ...($isKnown ? [] : (new DirectoryListing($this->layout->completed))->segments()));

        if ($highest - $record->sealed > self::MOST_FORGOTTEN) {
            throw ForeignFile::numberTooHigh($this->layout->sealedSegment($highest), $record->sealed);
        }

        if ($highest > $record->sealed) {
            $this->adopt($record, $highest);

            return;
        }

        if ($record->sealed > $highest && $record->lastInode !== 0 && $this->isStillActive($record->lastInode)) {
            $this->state->write($record->takenBack());
        }
    }

    /** Only a power cut can keep a rename and lose the state written before it; the segments tell what the state forgot. */
    private function adopt(StateRecord $record, int $highest): void
    {
        while ($record->sealed < $highest) {
            $next = $record->sealed + 1;
            $path = $this->layout->sealedSegment($next);
            $file = BufferFile::open(BufferFile::isThere($path) ? $path : $this->layout->completedSegment($next), 're');
            $record = $record->sealing(0, $file === false ? 0 : $this->count($file));

            if ($file !== false) {
                fclose($file);
            }
        }

        $this->state->write($record);
    }

    private function isStillActive(int $inode): bool
    {
        foreach ((new DirectoryListing($this->layout->active))->slots() as $name) {
            if (BufferFile::inode("{$this->layout->active}/{$name}") === $inode) {
                return true;
            }
        }

        return false;
    }

    /** @param ?DuplicateSegments $copies null for what is none */
    private function seal(string $slot, ?DuplicateSegments $copies): ?UnableToFlush
    {
        $reason = '';
        $file = BufferFile::open($slot, 'r+e', $reason);

        if ($file === false) {
            return BufferFile::isThere($slot) ? BufferFile::refusal('read slot', $slot, $reason) : null;
        }

        $isLocked = $this->lock($file);
        $isCut = $isLocked && BufferFile::inode($slot) === (fstat($file)['ino'] ?? null) && $copies?->cut($file, $slot) === true;
        $obstacle = $isLocked && ! $isCut ? $this->rename($file, $slot) : null;
        fclose($file);

        return $isCut ? $this->seal($slot, null) : $obstacle;
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
    private function rename($file, string $slot): ?UnableToFlush
    {
        $stat = fstat($file);

        if ($stat === false || $stat['size'] === 0 || BufferFile::inode($slot) !== $stat['ino']) {
            return null;
        }

        if ($stat['nlink'] > 1 && ($segment = $this->segmentOf($stat['ino'])) !== null) {
            return ForeignFile::hardLink($slot, $segment);
        }

        $reason = '';
        $hasSeal = FileOperation::run(fn (): bool => $this->putSeal($file, $stat['size']), $reason);
        $this->checkpoint?->reached('seal.put');

        if (! $hasSeal) {
            return StorageUnavailable::notPermitted('put the seal on slot', $slot, $reason, Permissions::ownership($slot));
        }

        $this->sync($slot);
        // With its seal, as every later reader will see it: what lies behind a frame can tell that it was cut.
        $before = $this->state->read();
        $record = $before->sealing($stat['ino'], $this->count($file), Redrive::isSlot($slot));
        $this->checkpoint?->reached('seal.counted');
        $this->state->write($record);
        $this->checkpoint?->reached('seal.noted');
        // As late as can be: whoever has taken over gives the same number to another slot.
        $this->state->checkLock();

        if (! FileOperation::run(fn (): bool => rename($slot, $this->layout->sealedSegment($record->sealed)), $reason)) {
            $this->state->write($before);

            return StorageUnavailable::notPermitted('rename slot', $slot, $reason, Permissions::ownership($slot));
        }

        $this->checkpoint?->reached('seal.renamed');
        // Before the next record is written: with that on disk and this rename not, a segment would be missing, and its
        // slot be sealed under another number.
        $this->sync($this->layout->sealed);
        $this->sync($this->layout->active);
        $this->removeLetters();

        return null;
    }

    /**
     * Of events that are in the log again, and not delivered yet.
     *
     * @throws UnableToFlush
     */
    private function removeLetters(): void
    {
        $revival = $this->state->read()->revival;

        if ($revival === 0) {
            return;
        }

        $file = BufferFile::open($this->layout->sealedSegment($revival), 're');

        foreach ($file === false ? [] : Redrive::letters($file) as $position) {
            $this->letters->remember($position);
            $this->checkpoint?->reached('letter.removed');
        }

        $this->state->write($this->state->read()->lettersRemoved());
    }

    /** A failure stops this round. The number is taken back by the next one, which goes on: what is delivered is saved. */
    private function sync(string $path): void
    {
        $failure = $this->isSynced ? Sync::path($path) : null;

        if ($failure !== null) {
            throw StorageUnavailable::notOnDisk($failure);
        }
    }

    /** Under a second name the same events would be sealed, and delivered, a second time. */
    private function segmentOf(int $inode): ?string
    {
        foreach ([...(new DirectoryListing($this->layout->sealed))->segments(), ...(new DirectoryListing($this->layout->completed))->segments()] as $sequence) {
            foreach ([$this->layout->sealedSegment($sequence), $this->layout->completedSegment($sequence)] as $path) {
                if (BufferFile::inode($path) === $inode) {
                    return $path;
                }
            }
        }

        return null;
    }

    /**
     * Makes the size odd, for a writer that has opened the slot and will have its lock only after the rename. The zeros
     * take no room, so that a full disk can be emptied.
     *
     * @param resource $file locked
     */
    private function putSeal($file, int $size): bool
    {
        return $this->hasSeal($file, $size) || ftruncate($file, max(0, $size) + Frame::SEAL_BYTES + 1 - $size % 2);
    }

    /**
     * By a sealer that was killed before its rename.
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
