<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\MeasuredOn;

/**
 * Where and when something was measured, and of which code.
 */
final readonly class Machine
{
    private function __construct(public string $commit, public string $date, public string $words) {}

    /** @throws UnableToReadResults */
    public static function of(Piece $machine): self
    {
        $on = MeasuredOn::of($machine);

        return new self(
            $on->commit,
            $on->date,
            "{$on->hardware()}, ".number_format($on->memoryMegabytes)." MB, {$on->kernel}, PHP {$on->php}",
        );
    }
}
