<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Core\Clock;
use Headroom\Sink\Progress;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\SegmentChain;
use Headroom\Spool\FileStore\Segment\SegmentInfo;
use Headroom\Spool\Store\ForkDetector;
use Headroom\Spool\Store\State\StateRecord;
use Headroom\Support\RegularFile;

/**
 * Takes a snapshot of a bucket without a lock and without changing it, while other processes write and flush.
 *
 * @internal
 */
final readonly class SnapshotReader
{
    /** A snapshot takes about a millisecond, and a delivery takes several. With a fast sink it may need some tries. */
    private const MIN_TRIES = 50;

    /** When the tries are quick, more of them are made until this time is over. */
    private const TIMEOUT_NANOS = 500_000_000;

    private const MAX_TRIES = 1_000;

    public function __construct(private Layout $layout, private Permissions $permissions, private Clock $clock) {}

    /** @param callable(): ?Progress $ledger reads the sink's ledger; returns null when the state file decides */
    public function take(callable $ledger): Snapshot
    {
        $until = null;

        for ($try = 1; ; $try++) {
            $before = $this->state();
            $record = $before->read();
            $progress = $ledger();
            [$active, $segments, $duplicates, $isWhole] = $this->files();
            $after = $this->state();
            $after->read();
            $isStable = $isWhole
                && $after->generation() === $before->generation()
                && $this->isSame($progress, $ledger());

            if (! $isStable) {
                $until ??= $this->clock->monotonicNanos() + self::TIMEOUT_NANOS;
            }

            // Another try would not show files that this user may not read.
            if (
                $isStable
                || $try === self::MAX_TRIES
                || ($try >= self::MIN_TRIES && $this->clock->monotonicNanos() > $until)
                || (! $isWhole && $this->unreadable() !== [])
            ) {
                // The first bucket of a disk creates its id. Before that, the id is an image's, and the ledger's
                // progress for it belongs to another disk.
                $progress = $progress !== null && NodeId::hasBuckets($this->layout->root) ? $progress : null;
                $isForked = $isStable
                    && $progress !== null
                    && ForkDetector::hasDiverged($progress, $record->flush, new SegmentChain($this->layout));

                return new Snapshot(
                    $this->withoutUnsealed($record, $active),
                    $isForked ? null : $progress,
                    $segments,
                    $active,
                    $duplicates,
                    $isStable,
                    $this->unreadable(),
                    $isForked,
                );
            }

            $this->clock->sleep(500);
        }
    }

    /**
     * Opens the file of the snapshot, also when a flush has renamed it since.
     *
     * @return resource|null null when the file was removed since, or this user may not read it
     */
    public function open(SegmentInfo $segment)
    {
        // While the names are tried, the file may move on, but only in one direction: active, sealed, completed.
        for ($round = 0; $round < 3; $round++) {
            foreach ($round === 0 ? [$segment->path] : $this->laterPaths($segment) as $path) {
                $file = RegularFile::open($path, 're');

                if ($file !== false && (fstat($file)['ino'] ?? 0) === $segment->inode) {
                    return $file;
                }
            }
        }

        return null;
    }

    /** @return list<string> */
    private function laterPaths(SegmentInfo $segment): array
    {
        if (! $segment->isActive()) {
            return [
                $this->layout->sealedSegment($segment->sequence), $this->layout->completedSegment($segment->sequence),
            ];
        }

        clearstatcache();
        $paths = [];

        foreach ([$this->layout->sealed, $this->layout->completed] as $directory) {
            foreach (array_reverse(DirectoryListing::asSeen($directory)->segments()) as $sequence) {
                $path = "{$directory}/".Layout::segmentName($sequence);

                if (@fileinode($path) === $segment->inode) {
                    $paths[] = $path;
                }
            }
        }

        return $paths;
    }

    /**
     * Lists the directories in the order in which a file moves, so that it misses no file. A file that it sees twice
     * has moved in the meantime.
     *
     * @return array{list<SegmentInfo>, list<SegmentInfo>, list<SegmentInfo>, bool} active segments, segments, segments
     *     whose number exists twice, and whether every file's status could be read
     */
    private function files(): array
    {
        $isWhole = true;

        // Files behind a symbolic link do not belong to the buffer.
        if ($this->layout->links() !== []) {
            return [[], [], [], true];
        }

        $active = $this->infos(
            $this->layout->active,
            array_fill_keys(DirectoryListing::asSeen($this->layout->active)->activeSegments(), 0),
            $isWhole,
        );
        $sealed = $this->segments($this->layout->sealed, $isWhole);
        $completed = $this->segments($this->layout->completed, $isWhole);
        $segments = [];
        $duplicates = [];

        foreach ([...$sealed, ...$completed] as $file) {
            $known = $segments[$file->sequence] ?? null;

            if ($known === null) {
                $segments[$file->sequence] = $file;
            } elseif ($known->inode !== $file->inode) {
                $duplicates[] = $file;
            }
        }

        ksort($segments);
        $inodes = array_fill_keys(array_map(static fn (SegmentInfo $file): int => $file->inode, $segments), true);
        $unsealed = array_filter($active, static fn (SegmentInfo $file): bool => ! isset($inodes[$file->inode]));

        return [array_values($unsealed), array_values($segments), $duplicates, $isWhole];
    }

    /** @return list<SegmentInfo> */
    private function segments(string $directory, bool &$isWhole): array
    {
        $names = [];

        foreach (DirectoryListing::asSeen($directory)->segments() as $sequence) {
            $names[Layout::segmentName($sequence)] = $sequence;
        }

        return $this->infos($directory, $names, $isWhole);
    }

    /**
     * @param array<string, int<0, max>> $names with their sequence
     * @return list<SegmentInfo>
     */
    private function infos(string $directory, array $names, bool &$isWhole): array
    {
        $files = [];

        foreach ($names as $name => $sequence) {
            // lstat(), because the target of a link does not belong to the buffer.
            $stat = @lstat("{$directory}/{$name}");

            if ($stat === false) {
                $isWhole = false;
            } else {
                $files[] = new SegmentInfo("{$directory}/{$name}", $sequence, $stat['ino'], max(0, $stat['size']));
            }
        }

        return $files;
    }

    /** @param list<SegmentInfo> $active */
    private function withoutUnsealed(StateRecord $record, array $active): StateRecord
    {
        foreach ($record->lastInode === 0 ? [] : $active as $file) {
            if ($file->inode === $record->lastInode) {
                return $record->sealUndone();
            }
        }

        return $record;
    }

    private function isSame(?Progress $before, ?Progress $after): bool
    {
        return $before === null || $after === null ? $before === $after : $before->position->equals($after->position);
    }

    private function state(): StateFile
    {
        return new StateFile($this->layout->stateFile, $this->permissions);
    }

    /** @return list<string> */
    private function unreadable(): array
    {
        return [...$this->layout->links(), ...array_filter(
            [$this->layout->active, $this->layout->sealed, $this->layout->completed, $this->layout->dead],
            static fn (string $path): bool => file_exists($path) && ! (is_readable($path) && is_executable($path)),
        ), ...(is_dir($this->layout->directory) && ! is_executable($this->layout->directory)
            ? [$this->layout->directory]
            : [])];
    }
}
