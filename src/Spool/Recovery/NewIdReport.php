<?php

declare(strict_types=1);

namespace Headroom\Spool\Recovery;

/**
 * What a new id did, or would do.
 *
 * @internal
 */
final readonly class NewIdReport
{
    /** @param list<NewIdBucket> $buckets */
    public function __construct(public string $node, public array $buckets, public bool $isDone) {}
}
