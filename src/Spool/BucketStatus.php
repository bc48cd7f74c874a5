<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * One bucket in numbers. accepted = delivered + dead + dropped + pending + missing, each counted on its own but missing.
 */
final readonly class BucketStatus
{
    /**
     * @param ?string $sink null when the bucket is not declared
     * @param int $missing accepted, but nowhere to be found: a segment was removed or damaged
     * @param ?float $oldestSeconds age of the oldest pending event
     * @param int $pendingBytes of files that hold pending events
     * @param int $damaged places whose bytes are in quarantine
     * @param list<string> $held slots that somebody keeps locked, in words
     * @param ?string $error why the numbers could not be had in full
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
        public ?Pause $paused = null,
    ) {}

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
            'paused' => $this->paused?->toArray(),
        ];
    }
}
