<?php

declare(strict_types=1);

namespace Headroom\Bench;

use InvalidArgumentException;

/**
 * Measurements of one thing, described by their median and spread.
 *
 * @internal
 */
final readonly class Samples
{
    /** @var non-empty-list<float> rising */
    private array $sorted;

    /** @param list<int|float> $values */
    public function __construct(array $values)
    {
        if ($values === []) {
            throw new InvalidArgumentException(
                'There are no samples. An experiment that measured nothing has no figure.',
            );
        }

        sort($values);
        $this->sorted = array_map(floatval(...), $values);
    }

    public function median(): float
    {
        return $this->quantile(0.5);
    }

    /** @param float $q from 0 to 1; linear between the two nearest samples */
    public function quantile(float $q): float
    {
        $at = $q * (count($this->sorted) - 1);
        $low = (int) floor($at);
        $high = min($low + 1, count($this->sorted) - 1);

        return $this->sorted[$low] + ($at - $low) * ($this->sorted[$high] - $this->sorted[$low]);
    }

    public function min(): float
    {
        return $this->sorted[0];
    }

    public function max(): float
    {
        return $this->sorted[count($this->sorted) - 1];
    }

    /** Interquartile range as a share of the median. */
    public function spread(): float
    {
        return $this->median() === 0.0 ? 0.0 : ($this->quantile(0.75) - $this->quantile(0.25)) / $this->median();
    }

    /** @return array{median: float, min: float, max: float, spread: float, samples: int} */
    public function toArray(): array
    {
        return [
            'median' => round($this->median(), 4),
            'min' => round($this->min(), 4),
            'max' => round($this->max(), 4),
            'spread' => round($this->spread(), 4),
            'samples' => count($this->sorted),
        ];
    }
}
