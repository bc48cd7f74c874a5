<?php

declare(strict_types=1);

namespace Pheanstalk\Values;

final class Timeout
{
    public function __construct(public readonly int $seconds, public readonly int $microSeconds = 0) {}

    public function toFloat(): float
    {
        return $this->seconds + $this->microSeconds / 1_000_000;
    }
}
