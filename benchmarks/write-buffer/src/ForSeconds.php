<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Load\Request;
use Headroom\Load\RequestSource;

/**
 * So long there is a next request. What is in flight then is waited for: the slowest answers are counted, too, and
 * nothing is left in a queue for whoever is measured next.
 */
final class ForSeconds implements RequestSource
{
    private ?int $end = null;

    public function __construct(private readonly RequestSource $source, private readonly float $seconds) {}

    public function next(int $number): ?Request
    {
        $this->end ??= hrtime(true) + (int) ($this->seconds * 1e9);

        return hrtime(true) < $this->end ? $this->source->next($number) : null;
    }
}
