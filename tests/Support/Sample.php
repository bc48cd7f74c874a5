<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * `make test` takes a sample of what costs much CPU time, another one each day; `make proof` (HEADROOM_PROOF=1) takes
 * all. HEADROOM_SEED=20260131 takes the sample of that day.
 */
final readonly class Sample
{
    public static function isWhole(): bool
    {
        return getenv('HEADROOM_PROOF') === '1';
    }

    public static function seed(): int
    {
        $given = (int) getenv('HEADROOM_SEED');

        return $given === 0 ? (int) gmdate('Ymd') : $given;
    }

    /**
     * @template K of array-key
     * @template T
     *
     * @param iterable<K, T> $cases
     * @param positive-int $most how many of them `make test` takes
     * @return array<K, T> in their order, with their keys
     */
    public static function of(iterable $cases, int $most): array
    {
        $cases = iterator_to_array($cases);

        if (self::isWhole() || $most >= count($cases)) {
            return $cases;
        }

        // Two samples of one day are not of the same places in their lists.
        $random = new Randomizer(new Mt19937(self::seed() ^ crc32(implode("\n", array_keys($cases)))));
        $chosen = array_flip($random->pickArrayKeys($cases, $most));

        return array_intersect_key($cases, $chosen);
    }

    /** How often or how long something is done. */
    public static function number(int $sampled, int $whole): int
    {
        return self::isWhole() ? $whole : $sampled;
    }
}
