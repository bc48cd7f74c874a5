<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\UnableToFlush;

/**
 * Looks at a bucket without a lock and without changing anything, while others write and flush.
 *
 * @internal
 */
final readonly class Inspector
{
    /** A flush that moves things under the scan makes it look again. */
    private const TRIES = 5;

    public function __construct(private Layout $layout, private Permissions $permissions, private Clock $clock) {}

    /**
     * @param callable(): ?Progress $ledger what the sink's ledger says now; null when the state file is the truth
     */
    public function inspect(callable $ledger): Inspection
    {
        for ($try = 1; ; $try++) {
            $before = $this->state();
            $progress = $ledger() ?? $before->read()->flush->progress;
            $inspection = $this->scan($before->read(), $progress);
            $after = $this->state();
            $after->read();
            $now = $ledger() ?? $after->read()->flush->progress;

            if ($try === self::TRIES || ($after->generation() === $before->generation() && $now->position->equals($progress->position))) {
                return $inspection;
            }
        }
    }

    /** @return list<HeldSlot> slots that somebody has locked and not written to for so many seconds */
    public function heldSlots(int $seconds): array
    {
        $held = [];

        foreach ((new Folder($this->layout->active))->slots() as $name) {
            $file = RegularFile::open("{$this->layout->active}/{$name}", 're');
            $stat = $file === false ? false : fstat($file);

            if ($file === false || $stat === false) {
                continue;
            }

            $idle = intdiv($this->clock->micros(), 1_000_000) - $stat['mtime'];

            // Only old ones are tried, so that no writer finds its slot busy because of a look.
            if ($idle >= $seconds && ! flock($file, LOCK_EX | LOCK_NB)) {
                $held[] = new HeldSlot($name, $idle, LockHolder::of($stat['ino']));
            }

            fclose($file);
        }

        return $held;
    }

    private function state(): StateFile
    {
        return new StateFile($this->layout->stateFile, $this->permissions);
    }

    private function scan(StateRecord $record, Progress $progress): Inspection
    {
        $tally = new Tally;
        $from = $progress->position;
        $tally->unreadable = array_values(array_filter(
            [$this->layout->active, $this->layout->sealed, $this->layout->completed],
            static fn (string $path): bool => file_exists($path) && ! (is_readable($path) && is_executable($path)),
        ));

        // What lies behind them is not the buffer's.
        if (($links = $this->layout->links()) !== []) {
            $tally->unreadable = $links;

            return $this->inspection($record, $progress, $tally, 0);
        }

        foreach ((new Folder($this->layout->sealed))->segments() as $sequence) {
            if ($sequence >= $from->segment) {
                $this->count($this->layout->sealedSegment($sequence), $sequence === $from->segment ? $from : null, $tally);
            }
        }

        // The cursor often stands at the end of a completed one; those behind are wanted again by a database that was restored.
        foreach ((new Folder($this->layout->completed))->segments() as $sequence) {
            if ($sequence >= $from->segment) {
                $this->count($this->layout->completedSegment($sequence), $sequence === $from->segment ? $from : null, $tally);
            }
        }

        $sealed = $tally->events;

        foreach ((new Folder($this->layout->active))->slots() as $name) {
            $this->count("{$this->layout->active}/{$name}", null, $tally);
        }

        return $this->inspection($record, $progress, $tally, $sealed);
    }

    private function inspection(StateRecord $record, Progress $progress, Tally $tally, int $sealed): Inspection
    {
        return new Inspection(
            accepted: $record->accepted - $this->neverSealed($record) + $tally->events - $sealed,
            progress: $progress,
            pending: $tally->events,
            oldestAcceptedAt: $tally->oldest,
            bytes: $tally->bytes,
            damaged: count((new Folder($this->layout->quarantine))->names()),
            planned: $record->flush->planned !== null,
            unreadable: $tally->unreadable,
        );
    }

    /** @return int<0, max> events that a crashed sealer wrote down and that still lie in their slot: the next one takes them back */
    private function neverSealed(StateRecord $record): int
    {
        foreach ($record->lastInode === 0 ? [] : (new Folder($this->layout->active))->slots() as $name) {
            if (RegularFile::inode("{$this->layout->active}/{$name}") === $record->lastInode) {
                return $record->lastCount;
            }
        }

        return 0;
    }

    private function count(string $path, ?Position $from, Tally $tally): void
    {
        $file = RegularFile::open($path, 're');

        if ($file === false) {
            // If it is gone, a flush renamed it since it was listed; the state has changed then, too, and the scan is made again.
            if (RegularFile::isThere($path)) {
                $tally->unreadable[] = $path;
            }

            return;
        }

        try {
            $this->tally(new Scanner($file), $from, $tally);
        } catch (UnableToFlush) {
            $tally->unreadable[] = $path;
        } finally {
            fclose($file);
        }
    }

    /** @throws UnableToFlush */
    private function tally(Scanner $scanner, ?Position $from, Tally $tally): void
    {
        $tally->bytes += $scanner->size;

        foreach ($scanner->read($from->offset ?? 0) as $item) {
            if ($item instanceof Frame && $item->count > 0) {
                $done = $from !== null && $item->offset === $from->offset ? $from->index : 0;
                $tally->add($item->count - $done, $item->acceptedAt);
            }
        }
    }
}
