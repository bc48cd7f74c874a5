<?php

declare(strict_types=1);

namespace Headroom\Load;

final readonly class FailureCount
{
    /** @param string $message libcurl's own words for the first of them */
    public function __construct(public Failure $failure, public int $count, public string $message) {}
}
