<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\Evidence;
use Headroom\Preload\Observation\ObservedPages;
use Headroom\Preload\ObservedRequests;

/**
 * How much of what was observed uses a class.
 *
 * @internal
 */
final readonly class UsageShares
{
    /**
     * @param float $least that is hot: what a named page uses has at least this
     * @return array<string, float> 0 to 1, by class; the greatest that any of the sources gives
     */
    public static function of(Evidence $evidence, ObservedPages $driven, float $least): array
    {
        $shares = [];
        $add = static function (ObservedRequests $observed, float $floor) use (&$shares): void {
            foreach ($observed->classes() as $class) {
                $shares[$class] = max($shares[$class] ?? 0.0, $observed->shareOf($class), $floor);
            }
        };

        $add($evidence->samples, 0.0);
        $add($driven->observed($evidence->logged), 0.0);
        $add($driven->observed($evidence->named), $least);

        // Of a preloaded class nobody knows who used it. Where nothing else was ever observed, it stays.
        if ($evidence->samples->requests === 0) {
            foreach (array_keys($evidence->samples->preloaded) as $class) {
                $shares[$class] = max($shares[$class] ?? 0.0, $least);
            }
        }

        return $shares;
    }
}
