<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Spool\Status\Backpressure;
use Headroom\Spool\Status\EventCounts;
use Headroom\Spool\Status\FlushStatus;
use Headroom\Spool\Status\Storage;
use Headroom\Spool\Status\Throughput;

/**
 * One bucket in numbers.
 */
final readonly class BucketStatus
{
    /**
     * @param ?string $sink null when the bucket is not declared; 'callback' when it has no sink, or is not declared and
     *                      a callback flushed it
     * @param ?float $oldestSeconds age of the oldest pending event
     * @param ?string $error why some numbers are missing
     * @param string $store file or redis
     * @param Durability $durability what an accepted event survives
     * @param bool $isForked the ledger belongs to a diverged copy of this log: the disk was restored or copied
     * @param bool $isDiskForked for a bucket in Redis: Redis has events from a diverged copy of this machine's disk
     * @param ?string $setBack for a bucket in Redis: the evidence that Redis was set back; null once a flush has
     *     reported it
     */
    public function __construct(
        public string $bucket,
        public ?string $sink,
        public EventCounts $events = new EventCounts,
        public ?float $oldestSeconds = null,
        public ?string $error = null,
        public string $store = 'file',
        public Durability $durability = Durability::Process,
        public ?Pause $paused = null,
        public FlushStatus $flush = new FlushStatus,
        public Throughput $throughput = new Throughput,
        public Backpressure $backpressure = new Backpressure,
        public Storage $storage = new Storage,
        public bool $isForked = false,
        public bool $isDiskForked = false,
        public ?string $setBack = null,
    ) {}

    /** Whether it holds neither events nor dead letters. False when some numbers are missing. */
    public function isEmpty(): bool
    {
        return $this->events->pending === 0 && $this->storage->letters === 0 && $this->error === null;
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'bucket' => $this->bucket,
            'sink' => $this->sink,
            'accepted' => $this->events->accepted,
            'delivered' => $this->events->delivered,
            'dead' => $this->events->dead,
            'dropped' => $this->events->dropped,
            'pending' => $this->events->pending,
            'missing' => $this->events->missing,
            'oldest_seconds' => $this->oldestSeconds,
            'pending_bytes' => $this->storage->pendingBytes,
            'damaged' => $this->storage->damaged,
            'held' => $this->storage->held,
            'error' => $this->error,
            'letters' => $this->storage->letters,
            'replayed' => $this->events->replayed,
            'trouble' => $this->flush->trouble,
            'flushed_seconds' => $this->flush->flushedSeconds,
            'in_per_second' => $this->throughput->inPerSecond,
            'out_per_second' => $this->throughput->outPerSecond,
            'direct' => $this->backpressure->direct,
            'dropped_by_reason' => (object) $this->backpressure->droppedByReason,
            'refused_by_reason' => (object) $this->backpressure->refusedByReason,
            'refusing' => $this->backpressure->refusing,
            'used_bytes' => $this->storage->usedBytes,
            'max_bytes' => $this->storage->maxBytes,
            'durability' => $this->durability->value,
            'unsynced' => $this->storage->unsynced,
            'paused' => $this->paused?->toArray(),
            'bypassed' => $this->backpressure->bypassed,
            'store' => $this->store,
            'on_disk' => $this->storage->onDisk,
            'owner' => $this->flush->owner,
            'goes_on_seconds' => $this->flush->goesOnSeconds,
            'segments' => $this->storage->segments,
            'failed' => $this->flush->failed,
            'retried' => $this->events->retried,
            'forked' => $this->isForked,
        ];
    }
}
