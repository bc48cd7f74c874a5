<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Load\Request;
use Headroom\Load\RequestSource;

/**
 * Sources that take turns, request by request.
 */
final readonly class InTurn implements RequestSource
{
    /** @param non-empty-list<RequestSource> $sources */
    public function __construct(private array $sources) {}

    public function next(int $number): ?Request
    {
        return $this->sources[$number % count($this->sources)]->next($number);
    }
}
