<?php

declare(strict_types=1);

namespace Headroom\Spool\Status;

/**
 * The state of a bucket's delivery.
 */
final readonly class FlushStatus
{
    /**
     * @param ?string $trouble why the last flush failed and when the next attempt is, in words
     * @param int $failed total of failed flushes
     * @param ?float $flushedSeconds seconds since the last delivery
     * @param ?float $goesOnSeconds seconds until the rate limit lets pending events pass; null when no event waits for
     *     it
     * @param string $owner for a bucket in Redis: the process that flushes it; "" when no process does
     * @param ?float $failingSeconds seconds since the first of the failures in a row; null when none is recorded
     * @param bool $isStopped so many flushes in a row failed that the sink counts as down
     * @param bool $isForked the last flush failed because the ledger belongs to a diverged copy of the log
     */
    public function __construct(
        public ?string $trouble = null,
        public int $failed = 0,
        public ?float $flushedSeconds = null,
        public ?float $goesOnSeconds = null,
        public string $owner = '',
        public ?float $failingSeconds = null,
        public bool $isStopped = false,
        public bool $isForked = false,
    ) {}

    /** @internal */
    public function withTrouble(string $trouble): self
    {
        return new self(
            $trouble,
            $this->failed,
            $this->flushedSeconds,
            $this->goesOnSeconds,
            $this->owner,
            $this->failingSeconds,
            $this->isStopped,
            $this->isForked,
        );
    }
}
