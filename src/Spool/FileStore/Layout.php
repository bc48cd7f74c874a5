<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Support\RegularFile;

/**
 * The paths of one bucket's directories and files.
 *
 * @internal
 */
final readonly class Layout
{
    public string $active;

    public string $sealed;

    public string $completed;

    public string $dead;

    public string $quarantine;

    public string $stateFile;

    public string $flushLock;

    public string $countersFile;

    public string $warnedFile;

    public string $lateFile;

    public string $retired;

    public string $workLock;

    public string $syncedMarker;

    public string $directory;

    /** @param string $bucket a valid name */
    public function __construct(public string $root, string $bucket)
    {
        $this->directory = $directory = "{$root}/buckets/{$bucket}";
        $this->active = "{$directory}/active";
        $this->sealed = "{$directory}/sealed";
        $this->completed = "{$directory}/completed";
        $this->dead = "{$directory}/dead";
        $this->quarantine = "{$directory}/quarantine";
        $this->stateFile = "{$directory}/state";
        $this->flushLock = "{$directory}/flush.lock";
        $this->countersFile = "{$directory}/counters";
        $this->warnedFile = "{$directory}/warned";
        $this->lateFile = "{$directory}/late";
        $this->retired = "{$directory}/retired";
        $this->workLock = "{$directory}/work.lock";
        $this->syncedMarker = "{$directory}/anchored";
    }

    /** @return list<string> in the order of their creation */
    public function directories(): array
    {
        return [$this->directory, $this->active, $this->sealed, $this->completed, $this->dead, $this->quarantine];
    }

    /**
     * Finds directories that are symbolic links. The buffer creates none: a link may lead to another bucket, or to a
     * filesystem to which no file can be renamed.
     *
     * @return list<string>
     */
    public function links(): array
    {
        clearstatcache();

        return array_values(array_filter([dirname($this->directory), ...$this->directories()], is_link(...)));
    }

    /**
     * @return array<string, string> by path: the kind of file found in the place of a directory, the state or the lock
     */
    public function foreignFiles(): array
    {
        $found = [];

        foreach ($this->directories() as $path) {
            $found[$path] = is_dir($path) || ! RegularFile::exists($path)
                ? null
                : RegularFile::irregularKind($path) ?? 'a regular file';
        }

        foreach ([$this->stateFile, $this->flushLock] as $path) {
            $found[$path] = RegularFile::irregularKind($path);
        }

        return array_filter($found, is_string(...));
    }

    /** @return list<string> paths of the active, the sealed and the completed segments */
    public function files(): array
    {
        return [
            ...array_map(
                fn (string $name): string => "{$this->active}/{$name}",
                DirectoryListing::asSeen($this->active)->activeSegments(),
            ),
            ...array_map($this->sealedSegment(...), DirectoryListing::asSeen($this->sealed)->segments()),
            ...array_map($this->completedSegment(...), DirectoryListing::asSeen($this->completed)->segments()),
        ];
    }

    /** Not a property, because only flushes and readers of the history use it, and each append makes a layout. */
    public function historyFile(): string
    {
        return "{$this->directory}/history";
    }

    public static function segmentName(int $sequence): string
    {
        return sprintf('%020d.seg', $sequence);
    }

    public function sealedSegment(int $sequence): string
    {
        return $this->sealed.'/'.self::segmentName($sequence);
    }

    public function completedSegment(int $sequence): string
    {
        return $this->completed.'/'.self::segmentName($sequence);
    }
}
