<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Sink\Source;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Delivery\LedgerReader;
use Headroom\Spool\Delivery\SinkRegistry;
use Headroom\Spool\Durability;
use Headroom\Spool\Exceptions\DeliveryInterrupted;
use Headroom\Spool\Exceptions\ForeignFile;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\Fsync\DurabilityCheck;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\DiskQuota;
use Headroom\Spool\FileStore\Segment\LockedSegment;
use Headroom\Spool\FileStore\State\CountersFile;
use Headroom\Spool\FileStore\State\RefusalCounts;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\FileStore\State\UnableToCount;
use Headroom\Spool\Pause;
use Headroom\Spool\RateLimit;
use Headroom\Spool\RedisStore\StoreRegistry;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\SpoolStatus;
use Headroom\Spool\Status\Backpressure;
use Headroom\Spool\Status\EventCounts;
use Headroom\Spool\Status\FlushStatus;
use Headroom\Spool\Status\Storage;
use Headroom\Spool\Store\State\DeliveryState;

/**
 * Reads the numbers of all buckets of this node.
 *
 * @internal
 */
final readonly class StatusReader
{
    /** A process that keeps a segment locked and unwritten for longer is stuck. */
    private const HELD_SECONDS = 60;

    public const TOO_FAST =
        'It changed while it was counted, so the numbers do not add up. Run the command again.';

    private FileStore $store;

    /**
     * @param bool $asksLedgers false: the progress of a sink with a ledger is the copy in the state file, and a fork is
     *     known once a flush has saved it
     */
    public function __construct(
        private StoreRegistry $stores,
        private SinkRegistry $sinks,
        private SpoolConfig $config,
        private Clock $clock,
        private bool $asksLedgers = true,
    ) {
        $this->store = $stores->disk;
    }

    public function read(): SpoolStatus
    {
        $declared = $this->config->names();
        sort($declared);

        // Reading must not create the directories, because they would belong to the user of this command.
        $isUntouched = $this->store->isUntouched();
        $names = array_unique([...$declared, ...$this->stores->buckets()]);
        sort($names);

        return new SpoolStatus(
            $isUntouched ? null : $this->store->node(),
            $this->store->root,
            array_map(fn (string $name): BucketStatus => $this->readable($name, $this->bucketStatus(...)), $names),
            $this->config->enabled(),
        );
    }

    /** Reads this disk only, also for buckets in Redis: events that were moved to Redis count as delivered. */
    public function ofDisk(): SpoolStatus
    {
        return new SpoolStatus(
            $this->store->node(),
            $this->store->root,
            array_map(
                fn (string $name): BucketStatus => $this->readable($name, $this->bucket(...)),
                $this->store->buckets(),
            ),
            $this->config->enabled(),
        );
    }

    public function of(string $bucket): BucketStatus
    {
        return $this->readable($bucket, $this->bucketStatus(...));
    }

    private function bucketStatus(string $name): BucketStatus
    {
        $disk = $this->store->isUntouched() ? $this->untouched($name) : $this->bucket($name);
        $redis = $this->stores->redis($name);

        return $redis === null
            ? $disk
            : (new RedisStatus($redis, $this->sinks, $this->clock, $this->asksLedgers))
                ->read($disk, $this->config->bucket($name));
    }

    private function untouched(string $name): BucketStatus
    {
        $config = $this->config->bucket($name);

        return new BucketStatus(
            $name,
            $config?->sink,
            durability: $config->durability ?? Durability::Process,
            paused: $this->pauseOnDisk($name),
        );
    }

    /**
     * Returns a failure as the bucket's error, so that damage in one bucket does not hide the numbers of the others.
     *
     * @param Closure(string): BucketStatus $read
     */
    private function readable(string $name, Closure $read): BucketStatus
    {
        try {
            return $read($name);
        } catch (HeadroomException $e) {
            return new BucketStatus($name, $this->sink($name), error: $e->getMessage());
        }
    }

    private function bucket(string $name): BucketStatus
    {
        $inspector = new Inspector($this->store->layout($name), $this->store->permissions, $this->clock);
        $config = $this->config->bucket($name);
        // For a bucket in Redis, the events on this disk go to Redis, and the ledger does not count them.
        $isOnRedis = $this->stores->isOnRedis($name);
        $declared = $isOnRedis || ! $this->asksLedgers ? null : $config;
        $ledger = new LedgerReader($this->sinks, $declared, new Source($this->store->node(), $name));
        $seen = $inspector->inspect($ledger->progress(...));
        [$counts, $uncounted] = $this->counts($name);
        $last = $seen->history->record->flush;
        $sink = $config->sink ?? ($last->isOfCallback() ? BucketConfig::CALLBACK : null);
        $elsewhere = $counts->direct + $counts->bypassed;
        $dropped = $counts->droppedInAll();
        $flush = $this->flush($name, $seen, $sink, $config?->rateLimit);

        return new BucketStatus(
            $name,
            $sink,
            $seen->events->plus(new EventCounts($elsewhere + $dropped, $elsewhere, dropped: $dropped)),
            $seen->oldestSeconds($this->clock->micros()),
            $ledger->error ?? $this->obstacle($name) ?? $this->unreadable($seen->unreadable) ?? $uncounted
                ?? ($seen->isExact ? null : self::TOO_FAST),
            $isOnRedis ? 'redis' : 'file',
            $config->durability ?? Durability::Process,
            $this->pauseOnDisk($name),
            $flush,
            $seen->history->throughput(),
            new Backpressure(
                $counts->direct,
                $counts->bypassed,
                $counts->dropped,
                $counts->refused,
                $counts->incident?->isOver($this->clock->micros()) === false ? $counts->incident->failure->value : null,
            ),
            $this->storage($name, $seen, $inspector, $config),
            $seen->isForked || (! $this->asksLedgers && ! $isOnRedis && $flush->isForked),
        );
    }

    private function flush(string $name, Inspection $seen, ?string $sink, ?RateLimit $rate): FlushStatus
    {
        $isWaiting = $seen->events->pending > 0;
        $flush = $seen->history->status($sink === BucketConfig::CALLBACK, $isWaiting ? $rate : null, $this->clock);
        $ended = $flush->trouble === null ? $this->ended($name, $seen->history->record->flush) : null;

        return $ended === null ? $flush : $flush->withTrouble($ended);
    }

    private function storage(string $name, Inspection $seen, Inspector $inspector, ?BucketConfig $config): Storage
    {
        $quota = new DiskQuota($this->config, $name);
        $unsynced = $config === null
            ? null
            : (new DurabilityCheck($this->store, $name, $config->durability, $this->clock))->note();

        return new Storage(
            pendingBytes: $seen->events->pending === 0 ? 0 : $seen->bytes,
            usedBytes: $quota->used(),
            maxBytes: $config?->maxBytes,
            segments: $quota->files(),
            damaged: count(DirectoryListing::asSeen($this->store->layout($name)->quarantine)->names()),
            letters: $seen->letters,
            held: array_map($this->words(...), $inspector->heldSlots(self::HELD_SECONDS)),
            unsynced: $unsynced,
        );
    }

    /**
     * A delivery is saved as running, but no process holds the lock: its process has ended, unless the delivery was
     * completed between the two reads.
     */
    private function ended(string $name, DeliveryState $seen): ?string
    {
        if (! $seen->intent->isUnderWay || $this->store->flushing($name) !== null) {
            return null;
        }

        $now = (new StateFile($this->store->layout($name)->stateFile, $this->store->permissions))->read()->flush;

        return $now->intent->isUnderWay && $now->intent->to?->toString() === $seen->intent->to?->toString()
            ? DeliveryInterrupted::byProcessEnd($name)->getMessage()
            : null;
    }

    /** The pause of a bucket in Redis is stored in Redis. */
    private function pauseOnDisk(string $name): ?Pause
    {
        return $this->stores->isOnRedis($name) ? null : $this->store->pauses()->of($name);
    }

    /** Returns null for an undeclared bucket, and 'unknown' for one with an invalid configuration. */
    private function sink(string $name): ?string
    {
        try {
            return $this->config->bucket($name)?->sink;
        } catch (HeadroomException) {
            return 'unknown';
        }
    }

    /** @return array{RefusalCounts, ?string} the counts of requests, and why they could not be read */
    private function counts(string $name): array
    {
        try {
            return [(new CountersFile($this->store->layout($name), $this->clock))->read() ?? new RefusalCounts, null];
        } catch (UnableToCount $e) {
            return [new RefusalCounts, "{$e->getMessage()} The numbers lack events that went to the sink directly or"
                .' were dropped.'];
        }
    }

    /** Finds a file that keeps a flush from taking the lock. Such a flush cannot save its failure. */
    private function obstacle(string $name): ?string
    {
        $strange = $this->store->layout($name)->foreignFiles();
        $path = array_key_first($strange);

        return $path === null ? null : ForeignFile::notRegular($path, $strange[$path])->getMessage();
    }

    /** @param list<string> $paths */
    private function unreadable(array $paths): ?string
    {
        return $paths === []
            ? null
            : count($paths).' files or directories cannot be read, so the numbers are too small. The first is'
                ." {$paths[0]}. "
                .Permissions::ownership($paths[0]).' See spool:health.';
    }

    private function words(LockedSegment $slot): string
    {
        return "segment {$slot->name} is locked by ".($slot->pid === null ? 'a process' : "pid {$slot->pid}")
            ." and was last written {$slot->idleSeconds} s ago";
    }
}
