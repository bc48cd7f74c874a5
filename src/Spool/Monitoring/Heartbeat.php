<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

/**
 * The report of a node about itself.
 *
 * @internal
 */
final readonly class Heartbeat
{
    /**
     * @param string $node id of the disk
     * @param string $machine id of the running system: it changes with each boot, and differs for each copy of the disk
     * @param list<BucketHeartbeat> $buckets
     */
    public function __construct(
        public string $node,
        public string $machine,
        public string $host,
        public int $pid,
        public string $path,
        public array $buckets,
    ) {}

    public function pending(): int
    {
        return array_sum(array_map(static fn (BucketHeartbeat $bucket): int => $bucket->pending, $this->buckets));
    }

    public function oldestSeconds(): ?int
    {
        $ages = array_filter(
            array_map(static fn (BucketHeartbeat $bucket): ?int => $bucket->oldestSeconds, $this->buckets),
            is_int(...),
        );

        return $ages === [] ? null : max($ages);
    }

    public function dead(): int
    {
        return array_sum(array_map(static fn (BucketHeartbeat $bucket): int => $bucket->dead, $this->buckets));
    }

    public function dropped(): int
    {
        return array_sum(array_map(static fn (BucketHeartbeat $bucket): int => $bucket->dropped, $this->buckets));
    }

    /** @return int buckets whose flush fails */
    public function failing(): int
    {
        return count(array_filter(
            $this->buckets,
            static fn (BucketHeartbeat $bucket): bool => $bucket->trouble !== null,
        ));
    }
}
