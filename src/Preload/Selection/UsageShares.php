<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\GeneratorInput;
use Headroom\Preload\Observation\ObservedPages;
use Headroom\Preload\ObservedRequests;

/**
 * The share of the observed requests that use a class.
 *
 * @internal
 */
final readonly class UsageShares
{
    /**
     * @param float $minShare the smallest share of a hot class; classes of named pages have at least this share
     * @return array<string, float> 0 to 1, by class; the largest of all sources
     */
    public static function of(GeneratorInput $requests, ObservedPages $observed, float $minShare): array
    {
        $shares = [];
        $add = static function (ObservedRequests $requests, float $floor) use (&$shares): void {
            foreach ($requests->classes() as $class) {
                $shares[$class] = max($shares[$class] ?? 0.0, $requests->shareOf($class), $floor);
            }
        };

        $add($requests->samples, 0.0);
        $add($observed->usage($requests->logged), 0.0);
        $add($observed->usage($requests->named), $minShare);

        // A sample does not show which requests used a preloaded class. Without samples from before preloading,
        // the class stays in the list.
        if ($requests->samples->requests === 0) {
            foreach (array_keys($requests->samples->preloaded) as $class) {
                $shares[$class] = max($shares[$class] ?? 0.0, $minShare);
            }
        }

        return $shares;
    }
}
