<?php

declare(strict_types=1);

namespace Headroom\Spool\Events;

/**
 * spool:resume has ended the pause of a bucket. Not dispatched if the bucket was not paused.
 */
final readonly class BucketResumed
{
    public function __construct(public string $bucket) {}
}
