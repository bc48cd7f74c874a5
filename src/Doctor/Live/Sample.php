<?php

declare(strict_types=1);

namespace Headroom\Doctor\Live;

use Headroom\Doctor\Facts\Waits\Wait;

/**
 * Everything that could be read at one moment. What could not is null.
 *
 * @internal
 */
final readonly class Sample
{
    /**
     * @param int $atNanos of Core\Clock's monotonic time, before the first of them was read
     * @param ?list<Wait> $waits of the pool's processes
     * @param list<RedisMoment> $redis
     */
    public function __construct(
        public int $atNanos,
        public ?PoolMoment $pool = null,
        public ?array $waits = null,
        public ?CpuMoment $cpu = null,
        public array $redis = [],
        public ?DatabaseMoment $database = null,
        public ?KernelMoment $kernel = null,
    ) {}

    public function redisAt(string $peer): ?RedisMoment
    {
        foreach ($this->redis as $moment) {
            if ($moment->peer === $peer) {
                return $moment;
            }
        }

        return null;
    }
}
