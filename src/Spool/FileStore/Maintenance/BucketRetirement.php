<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Maintenance;

use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\RootDirectory;
use Headroom\Spool\FileStore\State\FlushLock;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\RegularFile;

/**
 * Removes a bucket that is no longer used. A directory with the file `retired` and without `active` is not listed as a
 * bucket; the next event creates `active` again.
 *
 * The cursor, the counters and the cursor's segment stay. A ledger may hold this position, and a log that starts again
 * with segment 1 would look like a restored backup.
 *
 * @internal
 */
final readonly class BucketRetirement
{
    public function __construct(
        private Layout $layout,
        private Permissions $permissions,
        private Clock $clock,
        private ?FaultPoint $faultPoint = null,
    ) {}

    public static function isRetired(Layout $layout): bool
    {
        clearstatcache();

        return is_file($layout->retired) && ! is_dir($layout->active);
    }

    /** @throws UnableToFlush */
    public function run(): RetirementOutcome
    {
        $lock = FlushLock::acquire($this->layout, $this->permissions, $this->clock, $this->faultPoint);

        if ($lock === null) {
            return RetirementOutcome::Busy;
        }

        try {
            return $this->obstacle() ?? $this->retire();
        } finally {
            $lock->release();
        }
    }

    private function obstacle(): ?RetirementOutcome
    {
        clearstatcache();
        $active = (new DirectoryListing($this->layout->active))->names();
        $written = array_filter($active, fn (string $name): bool => @filesize("{$this->layout->active}/{$name}") !== 0);
        $letters = array_filter(
            (new DirectoryListing($this->layout->dead))->names(),
            static fn (string $name): bool => ! str_ends_with($name, '.gone'),
        );

        return match (true) {
            $written !== [],
            (new DirectoryListing($this->layout->sealed))->names() !== [] => RetirementOutcome::EventsWait,
            $letters !== [] => RetirementOutcome::DeadLettersWait,
            (new DirectoryListing($this->layout->quarantine))->names() !== [] => RetirementOutcome::Quarantined,
            default => null,
        };
    }

    private function retire(): RetirementOutcome
    {
        $cursor = (new StateFile($this->layout->stateFile, $this->permissions))->read()->flush->progress->position;

        foreach ((new DirectoryListing($this->layout->completed))->segments() as $sequence) {
            if ($sequence < $cursor->segment) {
                @unlink($this->layout->completedSegment($sequence));
                $this->faultPoint?->reached('retire.segment');
            }
        }

        foreach ((new DirectoryListing($this->layout->active))->names() as $name) {
            if (! $this->removeEmpty("{$this->layout->active}/{$name}")) {
                return RetirementOutcome::Busy;
            }
        }

        $this->faultPoint?->reached('retire.emptied');
        (new RootDirectory($this->layout->root, $this->permissions))->write($this->layout->retired, 'we', '');
        $this->faultPoint?->reached('retire.marked');

        // rmdir() fails when a request has created a segment in the meantime. Otherwise the next request creates the
        // directory again.
        return @rmdir($this->layout->active) ? RetirementOutcome::Retired : RetirementOutcome::EventsWait;
    }

    /**
     * Removes the file under its lock: a writer that has opened it sees, once it has the lock, that the file is gone,
     * and takes another one.
     */
    private function removeEmpty(string $path): bool
    {
        $file = RegularFile::open($path, 'r+e');

        if ($file === false || ! flock($file, LOCK_EX | LOCK_NB)) {
            return false;
        }

        $stat = fstat($file);
        $isRemoved = $stat !== false
            && $stat['size'] === 0
            && RegularFile::inode($path) === $stat['ino']
            && @unlink($path);
        fclose($file);

        return $isRemoved;
    }
}
