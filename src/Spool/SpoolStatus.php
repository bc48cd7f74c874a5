<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * All buckets of this node in numbers.
 */
final readonly class SpoolStatus
{
    /**
     * @param ?string $node null before the first event
     * @param list<BucketStatus> $buckets
     * @param bool $enabled false: no new events are buffered; waiting events are still flushed
     */
    public function __construct(
        public ?string $node,
        public string $path,
        public array $buckets,
        public bool $enabled = true,
    ) {}

    public function pending(): int
    {
        return array_sum(array_map(static fn (BucketStatus $bucket): int => $bucket->events->pending, $this->buckets));
    }

    public function oldestSeconds(): ?float
    {
        $ages = array_filter(
            array_map(static fn (BucketStatus $bucket): ?float => $bucket->oldestSeconds, $this->buckets),
            is_float(...),
        );

        return $ages === [] ? null : max($ages);
    }

    public function hasErrors(): bool
    {
        return array_filter($this->buckets, static fn (BucketStatus $bucket): bool => $bucket->error !== null) !== [];
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'node' => $this->node,
            'path' => $this->path,
            'enabled' => $this->enabled,
            'pending' => $this->pending(),
            'oldest_seconds' => $this->oldestSeconds(),
            'buckets' => array_map(static fn (BucketStatus $bucket): array => $bucket->toArray(), $this->buckets),
        ];
    }
}
