<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Core\Clock;
use Headroom\Support\PhpRestrictions;

/**
 * Whether a load balancer should send events here. A sink that is down is no reason against it: the buffer is for that.
 *
 * @internal
 */
final class ReadinessCheck
{
    /** Maximum age of the state that the supervisor writes. */
    private const MAX_AGE_SECONDS = 120;

    public bool $isDraining = false;

    /**
     * @param int $reserve bytes of the disk that the buffer keeps free
     * @param ?int $highWater bytes in the bucket above which this is not ready
     */
    public function __construct(
        private readonly StateDirectory $stateDirectory,
        private readonly Clock $clock,
        private readonly string $bucket,
        private readonly int $reserve,
        private readonly ?int $highWater,
    ) {}

    /**
     * @param bool $showsSizes whether operators may read it: clients must not learn sizes of the disk and the backlog
     * @return ?string reason why not; null if ready
     */
    public function reasonNotReady(bool $showsSizes = false): ?string
    {
        if ($this->isDraining) {
            return 'This worker is draining.';
        }

        $root = $this->stateDirectory->root;
        clearstatcache(true, $root);

        if (! is_dir($root) || ! is_writable($root)) {
            return 'The directory of the buffer is not writable.';
        }

        $free = PhpRestrictions::call('disk_free_space', $root);

        if (is_float($free) && $free <= $this->reserve) {
            return $showsSizes
                ? sprintf('The disk of the buffer has %d bytes free, and min_free_bytes is %d.', $free, $this->reserve)
                : 'The free space of the disk is below min_free_bytes.';
        }

        $bytes = $this->highWater === null ? null : $this->bucketState()['bytes'] ?? null;

        return is_int($bytes) && $bytes > $this->highWater
            ? ($showsSizes
                ? "Bucket {$this->bucket} has {$bytes} undelivered bytes, and high_water is {$this->highWater}."
                : 'The undelivered events exceed the high-water mark.')
            : null;
    }

    public function delivery(): DeliveryState
    {
        $word = $this->bucketState()['delivery'] ?? null;

        return is_string($word) ? DeliveryState::tryFrom($word) ?? DeliveryState::Unknown : DeliveryState::Unknown;
    }

    /** @return array<array-key, mixed> the current state of the bucket, or [] */
    private function bucketState(): array
    {
        $state = $this->stateDirectory->read('spool');
        $at = $state['at'] ?? null;
        $buckets = $state['buckets'] ?? null;
        $bucket = is_array($buckets) ? $buckets[$this->bucket] ?? null : null;
        $isFresh = is_int($at) && intdiv($this->clock->micros(), 1_000_000) - $at < self::MAX_AGE_SECONDS;

        return $isFresh && is_array($bucket) ? $bucket : [];
    }
}
