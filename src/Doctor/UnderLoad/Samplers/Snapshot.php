<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

use Headroom\Doctor\UnderLoad\Waits\Wait;

/**
 * All samples of one moment. A value that could not be read is null.
 *
 * @internal
 */
final readonly class Snapshot
{
    /**
     * @param int $atNanos of Core\Clock's monotonic time, before the first of them was read
     * @param ?list<Wait> $waits of the pool's processes
     * @param list<RedisSnapshot> $redis
     */
    public function __construct(
        public int $atNanos,
        public ?PoolSnapshot $pool = null,
        public ?array $waits = null,
        public ?CpuSnapshot $cpu = null,
        public array $redis = [],
        public ?DatabaseSnapshot $database = null,
        public ?KernelSnapshot $kernel = null,
    ) {}

    public function redisAt(string $peer): ?RedisSnapshot
    {
        foreach ($this->redis as $snapshot) {
            if ($snapshot->peer === $peer) {
                return $snapshot;
            }
        }

        return null;
    }
}
