<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Report\Page\Unit;

/**
 * What was measured in turn with something else, as its share of that: the median of the rounds, their quartiles, and
 * whether a difference was seen.
 */
final readonly class Ratio
{
    public function __construct(public float $median, public float $low, public float $high, public bool $isSeen) {}

    /** @throws UnableToReadResults */
    public static function of(Piece $paired, bool $isSeen): self
    {
        [$low, $median, $high] = array_map($paired->number(...), ['p25', 'ratio', 'p75']);

        return $low <= $median && $median <= $high
            ? new self($median, $low, $high, $isSeen)
            : throw $paired->wrong('ratio', "a number from p25 to p75, which are {$low} and {$high},");
    }

    /**
     * @return array{float, float, float} lower quartile, median and upper quartile, each as a difference in percent
     *     with two digits behind the point
     */
    public function percent(): array
    {
        return array_map(
            static fn (float $ratio): float => round(100 * ($ratio - 1), 2),
            [$this->low, $this->median, $this->high],
        );
    }

    public function change(): string
    {
        return $this->isSeen ? sprintf('%+.1f %%', 100 * ($this->median - 1)) : 'none seen';
    }

    public function changeQuartiles(): string
    {
        return sprintf('%+.1f to %+.1f %%', 100 * ($this->low - 1), 100 * ($this->high - 1));
    }

    public function times(): string
    {
        return $this->isSeen ? Unit::Times->words($this->median) : 'none seen';
    }

    public function timesQuartiles(): string
    {
        return sprintf('%.2f to %.2f', $this->low, $this->high);
    }
}
