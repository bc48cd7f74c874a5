<?php

declare(strict_types=1);

namespace Headroom\Load\Compare;

/**
 * Quantiles of Student's t distribution.
 *
 * @internal
 *
 * @see https://personal.math.ubc.ca/~cbm/aands/page_948.htm Abramowitz and Stegun 26.7.3 and 26.7.4
 */
final readonly class StudentDistribution
{
    /** Seven metrics are judged at once, so that all of their intervals hold together with 95 % (Bonferroni). */
    private const OUTSIDE = 0.05 / 7;

    /** With more degrees of freedom, it is close to the normal distribution. */
    private const MOST_DEGREES = 300;

    private const LARGEST = 1_000.0;

    /** The absolute value that is exceeded with the probability OUTSIDE. */
    public static function quantile(int $degrees): float
    {
        $degrees = max(1, min(self::MOST_DEGREES, $degrees));
        [$low, $high] = [0.0, self::LARGEST];

        while ($high - $low > 0.000_1) {
            $middle = ($low + $high) / 2;
            self::within($middle, $degrees) < 1.0 - self::OUTSIDE ? $low = $middle : $high = $middle;
        }

        return $high;
    }

    /** The probability of values between -t and t. */
    private static function within(float $t, int $degrees): float
    {
        $angle = atan($t / sqrt($degrees));
        $isOdd = $degrees % 2 === 1;
        $term = $isOdd ? cos($angle) : 1.0;
        $sum = $degrees === 1 ? 0.0 : $term;

        for ($i = $isOdd ? 3 : 2; $i <= $degrees - 2; $i += 2) {
            $term *= cos($angle) ** 2 * ($i - 1) / $i;
            $sum += $term;
        }

        return $isOdd ? ($angle + sin($angle) * $sum) * 2 / M_PI : sin($angle) * $sum;
    }
}
