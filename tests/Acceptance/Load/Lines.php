<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Load\Request;
use Headroom\Load\RequestSource;

final class Lines implements RequestSource
{
    public int $asked = 0;

    /** @param list<Request> $requests */
    public function __construct(private readonly array $requests) {}

    public function next(int $number): ?Request
    {
        $this->asked++;

        return $this->requests[$number] ?? null;
    }
}
