<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Report\Page\Cell;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Unit;

/**
 * One thing that was measured in several rounds.
 */
final readonly class Spread
{
    private function __construct(public float $median, private float $least, private float $most) {}

    /** @throws UnableToReadResults */
    public static function of(Piece $samples): self
    {
        return new self($samples->number('median'), $samples->number('min'), $samples->number('max'));
    }

    /** @param ?float $aim that is to be reached, when it has one */
    public function cell(Unit $unit, ?float $aim = null): Cell
    {
        $range = "{$unit->words($this->least)} to {$unit->words($this->most)}";

        return match (true) {
            $aim === null => new Cell($unit->words($this->median), $range),
            $this->median >= $aim => new Cell(
                $unit->words($this->median),
                "{$range}; aim {$unit->words($aim)}, reached",
                Tone::Good,
            ),
            default => new Cell($unit->words($this->median), "{$range}; aim {$unit->words($aim)}, missed", Tone::Alert),
        };
    }
}
