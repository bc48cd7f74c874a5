<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

/**
 * Counters of the kernel at one moment.
 *
 * @internal
 */
final readonly class KernelSnapshot
{
    /**
     * @param ?int $overflows TCP connections that a full queue dropped
     * @param ?int $periods of the pool's CPU quota; null without a quota
     * @param ?int $throttled the throttled ones of these
     */
    public function __construct(
        public ?int $overflows = null,
        public ?int $periods = null,
        public ?int $throttled = null,
    ) {}
}
