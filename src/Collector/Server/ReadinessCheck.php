<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Core\Clock;

/**
 * Whether events should be sent here. A sink that is down is no reason: that is what the buffer is for.
 *
 * @internal
 */
final class ReadinessCheck
{
    /** Of what was seen of the backlog; older, it says nothing. */
    private const FRESH_SECONDS = 120;

    public bool $isDraining = false;

    /**
     * @param int $reserve bytes of free disk that the buffer leaves alone
     * @param ?int $highWater bytes that may wait in the bucket
     */
    public function __construct(
        private readonly StateDirectory $home,
        private readonly Clock $clock,
        private readonly string $bucket,
        private readonly int $reserve,
        private readonly ?int $highWater,
    ) {}

    /**
     * @param bool $tellsSizes whether operators ask; how large the disk is and how much waits is not for every sender
     * @return ?string null when they may come
     */
    public function obstacle(bool $tellsSizes = false): ?string
    {
        if ($this->isDraining) {
            return 'This worker is about to end.';
        }

        $root = $this->home->root;
        clearstatcache(true, $root);

        if (! is_dir($root) || ! is_writable($root)) {
            return 'The directory of the buffer is not writable.';
        }

        $free = @disk_free_space($root);

        if ($free !== false && $free <= $this->reserve) {
            return $tellsSizes
                ? sprintf('The disk of the buffer has %d bytes left, and min_free_bytes are %d.', $free, $this->reserve)
                : 'The disk of the buffer is down to min_free_bytes.';
        }

        $bytes = $this->highWater === null ? null : $this->seen()['bytes'] ?? null;

        return is_int($bytes) && $bytes > $this->highWater
            ? ($tellsSizes
                ? "{$bytes} bytes wait in bucket {$this->bucket}, and its high-water mark is {$this->highWater}."
                : 'More events wait than the high-water mark allows.')
            : null;
    }

    /** It is no reason to send events elsewhere. */
    public function delivery(): DeliveryState
    {
        $word = $this->seen()['delivery'] ?? null;

        return is_string($word) ? DeliveryState::tryFrom($word) ?? DeliveryState::Unknown : DeliveryState::Unknown;
    }

    /** @return array<array-key, mixed> what was seen of the bucket lately */
    private function seen(): array
    {
        $seen = $this->home->read('spool');
        $at = $seen['at'] ?? null;
        $buckets = $seen['buckets'] ?? null;
        $bucket = is_array($buckets) ? $buckets[$this->bucket] ?? null : null;
        $isFresh = is_int($at) && intdiv($this->clock->micros(), 1_000_000) - $at < self::FRESH_SECONDS;

        return $isFresh && is_array($bucket) ? $bucket : [];
    }
}
