<?php

declare(strict_types=1);

namespace Headroom\Load\Compare;

/**
 * A metric of a run with its standard error, by the method of batch means: neighbouring intervals of a run are
 * correlated, so the error comes from the means of a few longer batches.
 *
 * @internal
 *
 * @see https://doi.org/10.1287/opre.30.3.556 Schmeiser 1982: from 10 to 30 batches
 */
final readonly class Estimate
{
    /** A disturbance of a machine lasts for fractions of a second, so shorter batches are correlated. */
    public const BATCH_SECONDS = 1.0;

    public const FEWEST_BATCHES = 2;

    private const BATCHES = 10;

    private function __construct(public float $value, public float $standardError, public int $degrees) {}

    /**
     * @param list<?float> $intervals the metric in each interval of the timeline; null without a response
     * @param float $width seconds of each
     * @return ?self null if there are too few for a variance
     */
    public static function ofIntervals(float $value, array $intervals, float $width): ?self
    {
        // An interval may be a little shorter than its nominal width.
        $batches = min(
            self::BATCHES,
            count($intervals),
            (int) floor(count($intervals) * $width / self::BATCH_SECONDS + 0.01),
        );
        $means = [];

        for ($i = 0; $i < $batches; $i++) {
            $from = intdiv($i * count($intervals), $batches);
            $batch = array_slice($intervals, $from, intdiv(($i + 1) * count($intervals), $batches) - $from);
            $known = array_filter($batch, is_float(...));

            if ($known !== []) {
                $means[] = array_sum($known) / count($known);
            }
        }

        $count = count($means);

        if ($count < self::FEWEST_BATCHES) {
            return null;
        }

        $mean = array_sum($means) / $count;
        $squares = array_sum(array_map(static fn (float $one): float => ($one - $mean) ** 2, $means));
        $error = sqrt($squares / ($count - 1) / $count);

        // The value of the whole run is not the mean of its intervals, but has the same relative error.
        return new self($value, $mean > 0.0 ? $error / $mean * $value : $error, $count - 1);
    }

    /**
     * A share of requests.
     *
     * @param list<?float> $intervals
     */
    public static function ofShare(float $share, int $requests, array $intervals, float $width): self
    {
        // Agresti and Coull: a share of 0 or 1 in a few requests is not certain.
        $adjusted = ($share * $requests + 2) / ($requests + 4);
        $error = sqrt($adjusted * (1 - $adjusted) / ($requests + 4));
        $batches = self::ofIntervals($share, $intervals, $width);

        return $batches !== null && $batches->standardError > $error
            ? new self($share, $batches->standardError, $batches->degrees)
            : new self($share, $error, $requests + 3);
    }

    /** Half of the confidence interval of the difference (Welch). */
    public function margin(self $other): float
    {
        [$one, $two] = [$this->standardError ** 2, $other->standardError ** 2];

        if ($one + $two <= 0.0) {
            return 0.0;
        }

        $degrees = ($one + $two) ** 2 / ($one ** 2 / $this->degrees + $two ** 2 / $other->degrees);

        return StudentDistribution::quantile((int) floor($degrees)) * sqrt($one + $two);
    }
}
