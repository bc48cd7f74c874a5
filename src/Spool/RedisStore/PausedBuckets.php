<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

/**
 * @internal
 */
final readonly class PausedBuckets
{
    /**
     * @param list<string> $names sorted
     * @param array<array-key, string> $unknown why it is not known, by bucket; nothing of these is delivered either
     */
    public function __construct(public array $names, public array $unknown) {}
}
