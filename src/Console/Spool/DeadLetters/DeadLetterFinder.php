<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\DeadLetters;

use Headroom\Console\Spool\BucketArgument;
use Headroom\Spool\Bucket;
use Headroom\Spool\Services\SpoolServices;

/**
 * Reads the dead letters of a bucket. A bucket that is no longer declared keeps its dead letters.
 *
 * @internal
 */
final readonly class DeadLetterFinder
{
    public function __construct(private SpoolServices $spool) {}

    /** @return list<string> the asked bucket, or all buckets that are declared or were ever written to */
    public function buckets(?string $asked): array
    {
        return (new BucketArgument($this->spool))->known($asked === null ? null : Bucket::validName($asked));
    }

    public function ofBucket(string $bucket): BucketDeadLetters
    {
        $letters = $this->spool->isUntouched($bucket) ? [] : $this->spool->bucketTools($bucket)->letters()->letters();

        return new BucketDeadLetters($bucket, iterator_to_array($letters, false));
    }
}
