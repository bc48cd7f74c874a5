<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Load\InvalidPlan;
use Headroom\Load\Stage;
use Headroom\Load\Stages;

/**
 * Parses the --ramp options of `load`: FROM:TO:TIME for users, or FROM/s:TO/s:TIME for requests per second.
 *
 * @internal
 */
final readonly class StageParser
{
    private const NUMBER = '(\d{1,7}(?:\.\d{1,6})?)';

    private const ALLOWED =
        "FROM:TO:TIME for users, such as '0:100:30s', or for requests per second, such as '0/s:500/s:1m'";

    private function __construct(public Stages $stages, public bool $arePerSecond) {}

    /**
     * @param list<string> $ramps
     * @return ?self null without a ramp
     *
     * @throws InvalidPlan
     */
    public static function parse(array $ramps): ?self
    {
        $stages = [];
        $units = [];

        foreach ($ramps as $ramp) {
            if (
                preg_match('~\A'.self::NUMBER.'(/s)?:'.self::NUMBER.'(/s)?:([^:]+)\z~', $ramp, $m) !== 1
                || $m[2] !== $m[4]
            ) {
                throw InvalidPlan::option('ramp', $ramp, self::ALLOWED);
            }

            $stages[] = new Stage((float) $m[1], (float) $m[3], Seconds::of('ramp', $m[5]));
            $units[$m[2]] = $ramp;
        }

        if (count($units) > 1) {
            throw InvalidPlan::option('ramp', implode(' ', $units), 'for users only, or for requests per second only');
        }

        return $stages === [] ? null : new self(new Stages(...$stages), isset($units['/s']));
    }
}
