<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Sink\RetryLater;
use RuntimeException;

final class Later extends RuntimeException implements RetryLater
{
    /** @param int<0, max> $seconds */
    private function __construct(private readonly int $seconds)
    {
        parent::__construct("Come again in {$seconds} s.");
    }

    public static function in(int $seconds): self
    {
        return new self(max(0, $seconds));
    }

    public function retryAfter(): int
    {
        return $this->seconds;
    }
}
