<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

/**
 * A pool of PHP-FPM at one moment.
 *
 * @internal
 */
final readonly class PoolSnapshot
{
    /**
     * @param ?int $waiting connections that no process has accepted
     * @param ?int $limit of the queue
     * @param ?int $accepted requests since it started
     */
    public function __construct(public ?int $waiting = null, public ?int $limit = null, public ?int $accepted = null) {}

    public function isFull(): bool
    {
        return $this->waiting !== null && $this->limit !== null && $this->limit > 0 && $this->waiting >= $this->limit;
    }
}
