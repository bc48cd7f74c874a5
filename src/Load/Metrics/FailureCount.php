<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

use Headroom\Load\Failure;

final readonly class FailureCount
{
    /** @param string $message of the first failure */
    public function __construct(public Failure $failure, public int $count, public string $message) {}
}
