<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * How the delivery of a bucket stands.
 */
final readonly class FlushStatus
{
    /**
     * @param ?string $trouble why the last flush failed, and when the next try is, in words
     * @param int $failed flushes that failed since the beginning
     * @param ?float $flushedSeconds since the last delivery
     * @param ?float $goesOnSeconds until the bucket's rate lets pending events go; null when nothing waits for it
     * @param string $owner of a bucket in Redis: the process that flushes it; "" when none does
     */
    public function __construct(
        public ?string $trouble = null,
        public int $failed = 0,
        public ?float $flushedSeconds = null,
        public ?float $goesOnSeconds = null,
        public string $owner = '',
    ) {}

    /** @internal */
    public function withTrouble(string $trouble): self
    {
        return new self($trouble, $this->failed, $this->flushedSeconds, $this->goesOnSeconds, $this->owner);
    }
}
