<?php

declare(strict_types=1);

namespace Headroom\Spool\Recovery;

/**
 * The changes that a new id makes, or would make.
 *
 * @internal
 */
final readonly class NewIdReport
{
    /** @param list<NewIdBucket> $buckets */
    public function __construct(public string $node, public array $buckets, public bool $isDone) {}
}
