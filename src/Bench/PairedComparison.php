<?php

declare(strict_types=1);

namespace Headroom\Bench;

use InvalidArgumentException;

/**
 * Two things measured in turns, round by round, compared by the ratio within each round: a slow round slows both. A
 * difference is seen if three quarters of the rounds agree on its direction and a coin would not fall like that (sign
 * test), so a difference smaller than its spread does not count. Neither does one that two measurements of the same
 * thing show: see isSeen().
 *
 * @internal
 */
final readonly class PairedComparison
{
    /** The highest probability that chance explains a difference. */
    private const CHANCE = 0.01;

    /**
     * @param list<float> $ratios of the rounds
     * @param float $low ratio of the lower quartiles, which disturbed rounds hardly change
     */
    private function __construct(private array $ratios, private Samples $samples, private float $low) {}

    /**
     * @param list<int|float> $base by round, each above 0
     * @param list<int|float> $ours of the same rounds, in the same unit
     */
    public static function of(array $base, array $ours): self
    {
        if ($base === [] || count($base) !== count($ours) || min($base) <= 0) {
            throw new InvalidArgumentException(
                'Rounds are compared in pairs: '.count($base).' of one side and '.count($ours)
                    .' of the other were measured. Each must be above 0.',
            );
        }

        $ratios = array_map(static fn (int|float $a, int|float $b): float => $b / $a, $base, $ours);

        return new self(
            $ratios,
            new Samples($ratios),
            (new Samples($ours))->quantile(0.25) / (new Samples($base))->quantile(0.25),
        );
    }

    /** Median of the rounds; 0.85 is 15 % less. */
    public function ratio(): float
    {
        return $this->samples->median();
    }

    public function change(): float
    {
        return $this->ratio() - 1.0;
    }

    public function rounds(): int
    {
        return count($this->ratios);
    }

    /**
     * @param float $floor a smaller change does not count, even if all rounds agree: two processes of the same code
     *     differ by the layout of their memory, in the same way in every round. A twin of the base measures that.
     */
    public function isSeen(float $floor = 0.0): bool
    {
        $agrees = $this->samples->quantile(0.25) > 1.0 || $this->samples->quantile(0.75) < 1.0;

        return $agrees && $this->chance() <= self::CHANCE && abs($this->change()) > $floor;
    }

    /** The distance of a twin's rounds from 1: its quartile that is further away. */
    public function floor(): float
    {
        return max(abs($this->samples->quantile(0.25) - 1.0), abs($this->samples->quantile(0.75) - 1.0));
    }

    /**
     * Two-sided sign test: the probability that a coin falls at least as unevenly. Rounds without a difference do not
     * count.
     */
    public function chance(): float
    {
        $more = count(array_filter($this->ratios, static fn (float $ratio): bool => $ratio > 1.0));
        $less = count(array_filter($this->ratios, static fn (float $ratio): bool => $ratio < 1.0));

        return min(1.0, 2.0 * self::atMost(min($more, $less), $more + $less));
    }

    /**
     * @return array{
     *     ratio: float,
     *     p25: float,
     *     p75: float,
     *     of_lower_quartiles: float,
     *     iqr_share: float,
     *     chance: float,
     *     rounds: int,
     * }
     */
    public function toArray(): array
    {
        return [
            'ratio' => round($this->ratio(), 4),
            'p25' => round($this->samples->quantile(0.25), 4),
            'p75' => round($this->samples->quantile(0.75), 4),
            'of_lower_quartiles' => round($this->low, 4),
            'iqr_share' => round($this->samples->spread(), 4),
            'chance' => round($this->chance(), 6),
            'rounds' => $this->rounds(),
        ];
    }

    /** The probability of this many heads. In logarithms: 2^-1100 is 0 as a float. */
    private static function atMost(int $heads, int $throws): float
    {
        $term = -$throws * M_LN2;
        $sum = exp($term);

        for ($i = 1; $i <= $heads; $i++) {
            $term += log(($throws - $i + 1) / $i);
            $sum += exp($term);
        }

        return $sum;
    }
}
