<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * @internal
 */
final readonly class SlotOptions
{
    /**
     * @param bool $sendsHeartbeats the worker sends "ready" and then a "heartbeat" each second; a worker that stops
     *     sending is killed
     * @param ?int $provenSeconds life time after which a worker that sends no "ready" counts as working; null is never
     * @param ?int $maxFailures failures in a row that are still followed by a restart; after the next one the slot
     *     stays empty. Null sets no limit
     * @param int $settledSeconds life time after which the end of a worker is the first failure of a new series
     */
    public function __construct(
        public bool $sendsHeartbeats = false,
        public ?int $provenSeconds = null,
        public ?int $maxFailures = null,
        public int $settledSeconds = 30,
        public int $maxPauseSeconds = 30,
    ) {}

    public function backoff(): Backoff
    {
        return new Backoff($this->maxFailures, $this->settledSeconds, $this->maxPauseSeconds);
    }
}
