<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * One bucket in numbers. accepted = delivered + dead + dropped + pending + missing, each counted on its own but missing.
 */
final readonly class BucketStatus
{
    /**
     * @param ?string $sink null when the bucket is not declared; 'callback' when it has no sink, or is not declared and was flushed by a callback
     * @param int $missing accepted, but nowhere to be found: a segment was removed or damaged
     * @param ?float $oldestSeconds age of the oldest pending event
     * @param int $pendingBytes of files that hold pending events
     * @param int $damaged places whose bytes are in quarantine
     * @param list<string> $held slots that somebody keeps locked, in words
     * @param ?string $error why the numbers could not be had in full
     * @param int $letters dead letters that are kept
     * @param int $replayed events that were handed over once more, because an operator said so
     * @param ?string $trouble what the last flush failed of, and when the next try is, in words
     * @param ?float $flushedSeconds since something was delivered last
     * @param ?float $inPerSecond events accepted, over a minute or more
     * @param ?float $outPerSecond events delivered, over a minute or more
     * @param int $direct of the accepted and delivered ones, those that the sink took directly since the buffer could not
     * @param int $bypassed of them, those that went there since the caller, or `enabled`, wanted it so
     * @param array<string, int> $droppedByReason a failure, or rolled_back
     * @param array<string, int> $refusedByReason events whose caller got an exception, by failure; never accepted
     * @param ?string $refusing why the bucket refuses events these days; null when the last one was over a minute ago
     * @param int $usedBytes of files with events that are not delivered yet: what max_bytes limits
     * @param Durability $durability what an accepted event survives
     * @param ?string $unsynced why it does not, for now
     * @param string $store file or redis
     * @param int $onDisk of the pending ones of a bucket in Redis, those that wait on this machine's disk to be brought there
     * @param string $owner of a bucket in Redis: the process that flushes it; "" when none does
     * @param ?float $goesOnSeconds until the bucket's rate lets pending events go; null when nothing waits for it
     * @param int $segments files with events that are not delivered yet
     * @param int $failed flushes that failed since the beginning
     * @param bool $isForked the ledger knows a log that went another way: this disk was set back or copied
     * @param bool $isDiskForked of a bucket in Redis: Redis knows another log of this machine's disk than the one that is here
     * @param ?string $setBack of a bucket in Redis: what shows that Redis was set back, and was not told by a flush yet
     * @param int $retried events that these had handed over and that are, or were, handed over again
     */
    public function __construct(
        public string $bucket,
        public ?string $sink,
        public int $accepted,
        public int $delivered,
        public int $dead,
        public int $dropped,
        public int $pending,
        public int $missing,
        public ?float $oldestSeconds,
        public int $pendingBytes,
        public int $damaged,
        public array $held,
        public ?string $error,
        public int $letters = 0,
        public int $replayed = 0,
        public ?string $trouble = null,
        public ?float $flushedSeconds = null,
        public ?float $inPerSecond = null,
        public ?float $outPerSecond = null,
        public int $direct = 0,
        public array $droppedByReason = [],
        public array $refusedByReason = [],
        public ?string $refusing = null,
        public int $usedBytes = 0,
        public ?int $maxBytes = null,
        public Durability $durability = Durability::Process,
        public ?string $unsynced = null,
        public ?Pause $paused = null,
        public int $bypassed = 0,
        public string $store = 'file',
        public int $onDisk = 0,
        public string $owner = '',
        public ?float $goesOnSeconds = null,
        public int $segments = 0,
        public int $failed = 0,
        public int $retried = 0,
        public bool $isForked = false,
        public bool $isDiskForked = false,
        public ?string $setBack = null,
    ) {}

    /**
     * Of a bucket that nobody has written to, or that can not be read.
     *
     * @internal
     */
    public static function withoutEvents(string $bucket, ?string $sink, ?string $error = null, Durability $durability = Durability::Process, ?Pause $paused = null): self
    {
        return new self($bucket, $sink, 0, 0, 0, 0, 0, 0, null, 0, 0, [], $error, durability: $durability, paused: $paused);
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'bucket' => $this->bucket,
            'sink' => $this->sink,
            'accepted' => $this->accepted,
            'delivered' => $this->delivered,
            'dead' => $this->dead,
            'dropped' => $this->dropped,
            'pending' => $this->pending,
            'missing' => $this->missing,
            'oldest_seconds' => $this->oldestSeconds,
            'pending_bytes' => $this->pendingBytes,
            'damaged' => $this->damaged,
            'held' => $this->held,
            'error' => $this->error,
            'letters' => $this->letters,
            'replayed' => $this->replayed,
            'trouble' => $this->trouble,
            'flushed_seconds' => $this->flushedSeconds,
            'in_per_second' => $this->inPerSecond,
            'out_per_second' => $this->outPerSecond,
            'direct' => $this->direct,
            'dropped_by_reason' => (object) $this->droppedByReason,
            'refused_by_reason' => (object) $this->refusedByReason,
            'refusing' => $this->refusing,
            'used_bytes' => $this->usedBytes,
            'max_bytes' => $this->maxBytes,
            'durability' => $this->durability->value,
            'unsynced' => $this->unsynced,
            'paused' => $this->paused?->toArray(),
            'bypassed' => $this->bypassed,
            'store' => $this->store,
            'on_disk' => $this->onDisk,
            'owner' => $this->owner,
            'goes_on_seconds' => $this->goesOnSeconds,
            'segments' => $this->segments,
            'failed' => $this->failed,
            'retried' => $this->retried,
            'forked' => $this->isForked,
        ];
    }
}
