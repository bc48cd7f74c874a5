<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

use Headroom\Core\Permanent;
use InvalidArgumentException;

final class InvalidPercentile extends InvalidArgumentException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function outOfRange(float $seen): self
    {
        return new self("Percentile {$seen} was asked for. It must be from 0 to 100.");
    }
}
