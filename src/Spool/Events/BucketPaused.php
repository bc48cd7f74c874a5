<?php

declare(strict_types=1);

namespace Headroom\Spool\Events;

/**
 * spool:pause has paused a bucket. Not dispatched if the bucket was paused before.
 */
final readonly class BucketPaused
{
    public function __construct(public string $bucket) {}
}
