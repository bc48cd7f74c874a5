<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

/**
 * The last heartbeat of a node. Ages are measured by the database's clock, because the clocks of machines may differ.
 *
 * @internal
 */
final readonly class NodeStatus
{
    /** The schedule sends a heartbeat each minute, a worker more often. */
    public const SILENT_SECONDS = 300;

    /**
     * @param int $seenSeconds seconds since the last heartbeat
     * @param int $sinceSeconds seconds since the first heartbeat of this machine
     */
    public function __construct(public Heartbeat $beat, public int $seenSeconds, public int $sinceSeconds) {}

    public function isSilent(): bool
    {
        return $this->seenSeconds > self::SILENT_SECONDS;
    }

    /**
     * Adds the time since the last heartbeat of a silent node, because its events get older. A live node reports the
     * age again in each heartbeat.
     */
    public function oldestSeconds(): ?int
    {
        $oldest = $this->beat->oldestSeconds();

        return $oldest === null || ! $this->isSilent() ? $oldest : $oldest + $this->seenSeconds;
    }

    /**
     * Whether two machines send heartbeats under one id at the same time. After a reboot, the first heartbeat comes
     * after the last one before it.
     */
    public function isDuplicateOf(self $other): bool
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
            'troubled' => $this->beat->failing(),
            'buckets' => (object) $buckets,
        ];
    }
}
