<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

/**
 * The paused buckets of the stores that answered.
 *
 * @internal
 */
final readonly class PausedBuckets
{
    /**
     * @param list<string> $names sorted
     * @param array<array-key, string> $unknown by bucket: why it is unknown whether the bucket is paused. These buckets
     *     are not delivered either
     */
    public function __construct(public array $names, public array $unknown) {}
}
