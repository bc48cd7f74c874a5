<?php

declare(strict_types=1);

namespace Headroom\Load;

final readonly class FailureCount
{
    /** @param string $message what was seen of the first of them */
    public function __construct(public Failure $failure, public int $count, public string $message) {}
}
