<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

/**
 * A node as it was seen last. Ages are by the database's clock, so that the clocks of machines need not agree.
 *
 * @internal
 */
final readonly class NodeStatus
{
    /** A schedule beats each minute, a worker more often. */
    public const SILENT_SECONDS = 300;

    /**
     * @param int $seenSeconds since the last heartbeat
     * @param int $sinceSeconds since the first of this machine
     */
    public function __construct(public Heartbeat $beat, public int $seenSeconds, public int $sinceSeconds) {}

    public function isSilent(): bool
    {
        return $this->seenSeconds > self::SILENT_SECONDS;
    }

    /** What waits on a silent node gets older; a living one says it anew each time. */
    public function oldestSeconds(): ?int
    {
        $oldest = $this->beat->oldestSeconds();

        return $oldest === null || ! $this->isSilent() ? $oldest : $oldest + $this->seenSeconds;
    }

    /** Two that beat in turns under one id: a boot that follows another one begins after its end. */
    public function isTwinOf(self $other): bool
    {
        return $this->beat->node === $other->beat->node
            && $this->beat->machine !== $other->beat->machine
            && ! $this->isSilent() && ! $other->isSilent()
            && $this->sinceSeconds >= $other->seenSeconds
            && $other->sinceSeconds >= $this->seenSeconds;
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        $buckets = [];

        foreach ($this->beat->buckets as $bucket) {
            $buckets[$bucket->bucket] = $bucket->toArray();
        }

        return [
            'node' => $this->beat->node,
            'host' => $this->beat->host,
            'pid' => $this->beat->pid,
            'path' => $this->beat->path,
            'seen_seconds' => $this->seenSeconds,
            'silent' => $this->isSilent(),
            'pending' => $this->beat->pending(),
            'oldest_seconds' => $this->oldestSeconds(),
            'dead' => $this->beat->dead(),
            'dropped' => $this->beat->dropped(),
            'troubled' => $this->beat->troubled(),
            'buckets' => (object) $buckets,
        ];
    }
}
