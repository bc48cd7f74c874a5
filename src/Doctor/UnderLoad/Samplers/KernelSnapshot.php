<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

/**
 * Counters of the kernel by one moment.
 *
 * @internal
 */
final readonly class KernelSnapshot
{
    /**
     * @param ?int $overflows TCP connections that a full queue did not take
     * @param ?int $periods of the pool's CPU quota; null where it has none
     * @param ?int $throttled of these, in how many it was held
     */
    public function __construct(
        public ?int $overflows = null,
        public ?int $periods = null,
        public ?int $throttled = null,
    ) {}
}
