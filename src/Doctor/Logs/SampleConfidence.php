<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs;

use Headroom\Report\Format;

/**
 * How much a share of samples is worth. The interval is Wilson's for 95 %, which holds for few samples as well
 * (https://doi.org/10.1080/01621459.1927.10502953).
 *
 * @internal
 */
enum SampleConfidence: string
{
    case Hint = 'hint';
    case Likely = 'likely';
    case Firm = 'firm';

    private const FEW = 20;

    private const MANY = 100;

    /** 97.5 % of a normal distribution lie below so many standard deviations. */
    private const Z = 1.96;

    /** @param int $second how often what comes next was seen */
    public static function of(int $first, int $second, int $samples): self
    {
        return match (true) {
            $samples < self::FEW, self::bound($first, $samples, -1) <= self::bound($second, $samples, 1) => self::Hint,
            $samples < self::MANY => self::Likely,
            default => self::Firm,
        };
    }

    public function words(int $samples): string
    {
        return match ($this) {
            self::Hint => $samples < self::FEW
                ? "a hint, no more: there are few traces ({$samples}; from ".self::FEW.' on a share means something).'
                : 'a hint, no more: what comes next is nearly as frequent.',
            self::Likely => 'likely, as it is well ahead of the next, in '.Format::count($samples).' traces.',
            self::Firm => 'as sure as traces can make it: well ahead of the next, in '.Format::count($samples)
                .' of them.',
        };
    }

    private static function bound(int $count, int $samples, int $sign): float
    {
        $n = max(1, $samples);
        $p = $count / $n;
        $z = self::Z;

        return ($p + $z ** 2 / (2 * $n) + $sign * $z * sqrt($p * (1 - $p) / $n + $z ** 2 / (4 * $n ** 2)))
            / (1 + $z ** 2 / $n);
    }
}
