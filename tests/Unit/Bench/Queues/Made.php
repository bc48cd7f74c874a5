<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues;

use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Outcome;
use Headroom\Bench\Queues\Results\ProbeResult;
use Headroom\Bench\Queues\Variant;
use Headroom\Bench\Queues\Workload;

/**
 * Made-up runs.
 */
final readonly class Made
{
    /**
     * @param float $rate jobs per second
     * @param list<Fault> $faults
     * @param list<float> $waits
     * @param array<string, int> $errors
     * @param list<array{float, int}> $depth
     */
    public static function outcome(
        float $rate = 1_000,
        array $faults = [],
        array $waits = [],
        array $errors = [],
        float $cpu = 5_000,
        float $sync = 200,
        float $stolen = 0,
        array $depth = [[0.0, 1_000], [0.5, 400]],
    ): Outcome {
        return new Outcome(
            1_000,
            1_000,
            1_000 / $rate,
            1_000,
            $depth,
            $waits,
            $faults,
            ['before' => new ProbeResult($cpu, $sync), 'after' => new ProbeResult($cpu, $sync)],
            ['busy' => 0.9, 'stolen' => $stolen],
            $errors,
        );
    }

    /** A run without a single observed job. */
    public static function nothing(): Outcome
    {
        $probed = new ProbeResult(5_000, 200);

        return new Outcome(
            1_000,
            0,
            null,
            0,
            [],
            [],
            [Fault::lost([0, 1])],
            ['before' => $probed, 'after' => $probed],
            ['busy' => 0.0, 'stolen' => 0.0],
            [],
        );
    }

    /**
     * @param list<Outcome> $outcomes
     * @param ?int $rounds as many as there are runs that the machine did not spoil, if it is not said
     */
    public static function finding(
        array $outcomes,
        string $name = 'redis',
        Durability $durability = Durability::Seconds,
        string $refused = '',
        ?int $rounds = null,
    ): Finding {
        $rounds ??= count(array_filter($outcomes, static fn (Outcome $outcome): bool => ! $outcome->isThrottled()));

        return new Finding(
            new Variant(
                $name,
                new DriverFacts('Redis 7.0', $durability, ['appendfsync' => 'everysec'], ['a note']),
                new Workload(1_000, 0, 10),
            ),
            $outcomes,
            $rounds,
            $refused,
        );
    }

    /**
     * @param list<float> $rates
     * @return list<Outcome>
     */
    public static function rates(array $rates): array
    {
        return array_map(static fn (float $rate): Outcome => self::outcome($rate), $rates);
    }

    public static function throttled(float $rate = 1_000): Outcome
    {
        return self::outcome($rate, [Fault::throttled('so')]);
    }

    public static function fast(): Finding
    {
        return self::finding(self::rates([9_000]), 'beanstalkd', Durability::None);
    }

    /** The same with one worker. */
    public static function alone(Finding $finding): Finding
    {
        return new Finding(
            $finding->variant->withWorkload($finding->variant->workload->by(1)),
            $finding->outcomes,
            $finding->rounds,
            $finding->refused,
        );
    }
}
