<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Load\Request;
use Headroom\Load\RequestSource;

/**
 * Requests for this time. Those in flight at its end are waited for, so that the slowest answers count as well, and
 * none is left in a queue for the next side.
 */
final class TimedRequests implements RequestSource
{
    private ?int $end = null;

    public function __construct(private readonly RequestSource $source, private readonly float $seconds) {}

    public function next(int $number): ?Request
    {
        $this->end ??= hrtime(true) + (int) ($this->seconds * 1e9);

        return hrtime(true) < $this->end ? $this->source->next($number) : null;
    }
}
