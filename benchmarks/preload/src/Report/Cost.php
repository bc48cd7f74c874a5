<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;

/**
 * The CPU time of one page.
 */
final readonly class Cost
{
    /**
     * @param float $floor how far two pools of the very same are apart, as a share
     * @param bool $isChanged whether the page answers something else, so that what it costs says nothing
     */
    private function __construct(
        public float $micros,
        public Ratio $ratio,
        public float $floor,
        public bool $isChanged,
    ) {}

    /** @throws UnableToReadResults */
    public static function of(Piece $cost): self
    {
        return new self(
            $cost->at('cpu_us')->number('median'),
            Ratio::of($cost->at('cpu_ratio'), $cost->isTrue('seen')),
            $cost->number('floor'),
            $cost->isTrue('answers_otherwise'),
        );
    }

    public function words(): string
    {
        return $this->isChanged ? 'another answer' : $this->ratio->change();
    }

    /** '' where there is nothing to compare. */
    public function quartiles(): string
    {
        return $this->isChanged ? '' : $this->ratio->changeQuartiles();
    }
}
