<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Closure;
use Headroom\Load\Observer;
use Headroom\Load\Request;
use Headroom\Load\Response;

/**
 * Does something when a certain request has ended.
 */
final readonly class NumberedEnd implements Observer
{
    /** @param Closure(): void $then */
    public function __construct(private int $number, private Closure $then) {}

    public function finished(int $number, Request $request, Response $response): void
    {
        if ($number === $this->number) {
            ($this->then)();
        }
    }
}
