<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

/**
 * The responses within one interval of the load.
 *
 * @internal
 */
final readonly class TimeSlice
{
    /** @param float $from seconds since the load began */
    public function __construct(
        public float $from,
        public ?float $meanMs,
        public ?float $p95Ms,
        public int $succeeded,
        public int $errors,
    ) {}
}
