<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;

/**
 * One thing that was measured several times.
 */
final readonly class Spread
{
    private function __construct(public float $median, public float $least, public float $most) {}

    /** @throws UnableToReadResults */
    public static function of(Piece $samples): self
    {
        return new self($samples->number('median'), $samples->number('min'), $samples->number('max'));
    }
}
