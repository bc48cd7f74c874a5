<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Sink\Source;
use Headroom\Spool\Bucket;
use Headroom\Spool\Buffer;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\DeadLetters\DeadLetterDirectory;
use Headroom\Spool\FileStore\Fsync\DirectoryFsync;
use Headroom\Spool\FileStore\Maintenance\BucketRetirement;
use Headroom\Spool\FileStore\Maintenance\RetirementOutcome;
use Headroom\Spool\FileStore\State\CountersFile;
use Headroom\Spool\FileStore\State\FilePauses;
use Headroom\Spool\FileStore\State\FlushLock;
use Headroom\Spool\FileStore\State\LockHolder;
use Headroom\Spool\FileStore\State\NodeId;
use Headroom\Spool\FileStore\State\StateCache;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Store\Store;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\Path;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\RegularFile;

/**
 * The buffer on a local disk: docs/spool-format.md.
 *
 * @internal
 */
final readonly class FileStore implements Store
{
    /**
     * @param ?Buffer $buffer of this process; null when the process does not write
     * @param ?SpoolConfig $config has the durability of each bucket; null when no bucket must survive a power cut
     */
    public function __construct(
        public string $root,
        public Permissions $permissions,
        private Clock $clock,
        private ?Buffer $buffer = null,
        private ?FaultPoint $faultPoint = null,
        private ?SpoolConfig $config = null,
        private StateCache $stateCache = new StateCache,
    ) {}

    public function claim(string $bucket): ?FileLease
    {
        $root = $this->realRoot();
        $layout = new Layout($root, Bucket::validName($bucket));
        $permissions = new Permissions($this->permissions->directory, $this->permissions->file, $root);
        $lock = $this->locked($layout, $permissions);

        if ($lock === null) {
            return null;
        }

        $isSynced = DirectoryFsync::isPromised($this->config?->bucket($bucket), $layout);
        $state = new StateFile($layout->stateFile, $permissions, $lock, $isSynced);
        $letters = new DeadLetterDirectory($layout->dead, $permissions);
        $source = new Source(NodeId::of($root, $permissions, $this->faultPoint), $bucket);

        return new FileLease(
            $source,
            $layout,
            $lock,
            $state,
            $letters,
            $permissions,
            $this->clock,
            $this->stateCache,
            $isSynced,
            $this->buffer,
            $this->faultPoint,
        );
    }

    private function locked(Layout $layout, Permissions $permissions): ?FlushLock
    {
        NodeId::makeBucket($layout, $permissions, $this->faultPoint);
        $lock = FlushLock::acquire($layout, $permissions, $this->clock, $this->faultPoint);
        $lock?->stamp();

        // A bucket of an earlier version has no counters file. One that belongs to root would keep requests from
        // counting.
        if (
            $lock !== null
            && (($permissions->directory & 070) === 070
                || @fileowner($layout->directory) === Permissions::currentUser())
        ) {
            CountersFile::preallocate($layout, $permissions);
        }

        return $lock;
    }

    public function letters(string $bucket): DeadLetterDirectory
    {
        return new DeadLetterDirectory($this->layout($bucket)->dead, $this->permissions);
    }

    public function buckets(): array
    {
        $directory = "{$this->root}/buckets";

        if (! Path::isAbsent($directory) && ! (is_readable($directory) && is_executable($directory))) {
            throw StorageUnavailable::notPermitted(
                'read',
                $directory,
                'permission denied',
                Permissions::ownership($directory),
            );
        }

        return array_values(array_filter(
            (new DirectoryListing($directory))->names(),
            fn (string $name): bool => Bucket::isName($name)
                && is_dir("{$directory}/{$name}")
                && ! is_link("{$directory}/{$name}")
                && ! BucketRetirement::isRetired($this->layout($name)),
        ));
    }

    /** @throws UnableToFlush */
    public function retire(string $bucket): RetirementOutcome
    {
        $layout = $this->layout($bucket);

        return Path::isAbsent($layout->directory) || BucketRetirement::isRetired($layout)
            ? RetirementOutcome::Retired
            : (new BucketRetirement($layout, $this->permissions, $this->clock, $this->faultPoint))->run();
    }

    public function isPaused(string $bucket): bool
    {
        return $this->pauses()->isPaused(Bucket::validName($bucket));
    }

    public function pauses(): FilePauses
    {
        return new FilePauses($this->root, $this->permissions);
    }

    /**
     * Whether no event waits for delivery. The check is cheap enough for each second, and returns false when in doubt.
     */
    public function isDrained(string $bucket): bool
    {
        $layout = $this->layout($bucket);
        $active = @scandir($layout->active);
        $sealed = @scandir($layout->sealed);

        // A refused append may have left an empty file.
        clearstatcache();
        $written = array_filter(
            $active === false ? [] : $active,
            static fn (string $name): bool
                => $name !== '.' && $name !== '..' && @filesize("{$layout->active}/{$name}") !== 0,
        );

        return $active !== false && $sealed !== false && $written === [] && count($sealed) === 2;
    }

    /**
     * Whether a flush has sealed events and did not deliver all of them: the sink was down, or a limit was reached.
     * Returns false when in doubt.
     */
    public function isUnfinished(string $bucket): bool
    {
        $sealed = @scandir($this->layout($bucket)->sealed);

        return $sealed !== false && count($sealed) > 2;
    }

    /** @return ?int pid of the process that flushes the bucket now; 0 when the pid is unknown; null when none does */
    public function flushing(string $bucket): ?int
    {
        $file = RegularFile::open($this->layout($bucket)->flushLock, 're');
        $stat = $file === false ? false : fstat($file);

        if ($file === false || $stat === false) {
            return null;
        }

        $isFree = flock($file, LOCK_SH | LOCK_NB);
        fclose($file);

        return $isFree ? null : LockHolder::of($stat['ino']) ?? 0;
    }

    /** @return ?int when a flush last claimed the bucket, in seconds since the Unix epoch; null when none ever did */
    public function flushedAt(string $bucket): ?int
    {
        $layout = $this->layout($bucket);
        $record = (new StateFile($layout->stateFile, $this->permissions))->read();
        clearstatcache();
        $time = @filemtime($layout->flushLock);

        // The lock file is created with the bucket, and the first flush seals a segment or fails.
        return $time === false || ($record->sealed === 0 && $record->flush->failed === 0) ? null : $time;
    }

    /** Whether no process has written here yet. A missing node id alone proves nothing: there may be events. */
    public function isUntouched(): bool
    {
        return Path::isAbsent("{$this->root}/node") && Path::isAbsent("{$this->root}/buckets");
    }

    /** Whether this machine has flushed a bucket in Redis, or has written to an undeclared bucket there. */
    public function hasServedRedis(): bool
    {
        return ! Path::isAbsent("{$this->root}/redis") || ! Path::isAbsent("{$this->root}/redis-buffer");
    }

    /**
     * Resolves the root once for a whole lease. A deploy may switch a symbolic link on the path, and the path would
     * then lead to another buffer, whose segments have the same names.
     */
    private function realRoot(): string
    {
        $this->node();
        clearstatcache(true);
        $real = PhpRestrictions::call('realpath', $this->root);

        return is_string($real) ? $real : $this->root;
    }

    /** Read at each call: the root can be moved or emptied while a long-running process uses it. */
    public function node(): string
    {
        return NodeId::of($this->root, $this->permissions, $this->faultPoint);
    }

    public function layout(string $bucket): Layout
    {
        return new Layout($this->root, Bucket::validName($bucket));
    }
}
