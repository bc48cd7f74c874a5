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
     */
    public function __construct(
        public ?string $trouble = null,
        public int $failed = 0,
        public ?float $flushedSeconds = null,
        public ?float $goesOnSeconds = null,
        public string $owner = '',
        public ?float $failingSeconds = null,
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
        );
    }
}
