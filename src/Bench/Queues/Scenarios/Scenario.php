<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Scenarios;

use Headroom\Bench\Queues\BenchOptions;
use Headroom\Bench\Queues\Workload;

/**
 * A question about queues, and the rows that answer it.
 *
 * @internal
 */
enum Scenario: string
{
    case Empty = 'empty';
    case Slow = 'slow';
    case Deep = 'deep';
    case Payload = 'payload';
    case Arrivals = 'arrivals';
    case Persistent = 'persistent';
    case Cache = 'cache';
    case Output = 'output';

    private const SLOW_MILLIS = 3_500;

    private const SLOW_RETRY_AFTER = 2;

    /** With its serialized job, the largest still fits into the limit of beanstalkd: 65,535 bytes. */
    private const PAYLOADS = [0, 1_000, 10_000, 60_000];

    private const ARRIVALS_PER_SECOND = 20.0;

    /**
     * With this many jobs, the 99th percentile is the longest but one, and they arrive over more than one --sleep of
     * 3 s.
     */
    private const LEAST_ARRIVALS = 100;

    private const BLOCK_FOR = 5;

    private const STORES = ['array', 'file', 'redis', 'database'];

    public function question(): string
    {
        return match ($this) {
            self::Empty => 'How many empty jobs per second do workers complete?',
            self::Slow => 'What happens to a job that takes longer than retry_after?',
            self::Deep => 'Do many jobs in the queue slow down taking one?',
            self::Payload => 'How much does a larger job cost?',
            self::Arrivals => 'How long does a job wait for a worker when workers are idle?',
            self::Persistent => 'How much do persistent connections to Redis gain?',
            self::Output => 'How much do the two lines cost that queue:work prints for each job?',
            self::Cache => 'How much does CACHE_STORE cost a worker? It asks the cache before each job whether to stop'
                .' or pause.',
        };
    }

    /** Whether the result is the fates of the jobs, and not a rate. */
    public function isAboutFates(): bool
    {
        return $this === self::Slow;
    }

    /**
     * Long scenarios have fewer runs, because their answer does not depend on a few percent.
     * @param int<1, max> $wanted
     * @return int<1, max>
     */
    public function runs(int $wanted): int
    {
        return match ($this) {
            self::Empty => $wanted,
            self::Slow => 1,
            self::Deep, self::Arrivals, self::Payload => min($wanted, 3),
            self::Persistent, self::Cache, self::Output => min($wanted, 5),
        };
    }

    /**
     * @param string $driver of the queue's connection
     * @param list<string> $stores of the application
     * @return list<ScenarioVariant> empty if the scenario does not apply to this driver
     */
    public function variants(string $driver, BenchOptions $options, array $stores): array
    {
        return match ($this) {
            self::Empty => [new ScenarioVariant('', $options->workload())],
            self::Slow => array_map(self::slow(...), [1, 3], [$options, $options]),
            self::Deep => array_map(
                static fn (int $jobs): ScenarioVariant => new ScenarioVariant(
                    number_format($jobs).' queued',
                    new Workload($jobs, 0, $options->workers, counted: min($options->jobs, $jobs)),
                ),
                array_values(array_unique([$options->jobs, $options->deep])),
            ),
            self::Payload => array_map(
                static fn (int $bytes): ScenarioVariant
                    => new ScenarioVariant(
                        $bytes === 0 ? 'empty' : intdiv($bytes, 1_000).' kB',
                        $options->workload($bytes),
                    ),
                self::PAYLOADS,
            ),
            self::Arrivals => self::arriving($driver, $options),
            self::Persistent => $driver === 'redis'
                ? array_map(
                    static fn (bool $isKept): ScenarioVariant => new ScenarioVariant(
                        $isKept ? 'persistent' : 'not persistent',
                        $options->workload(),
                        redis: ['persistent' => $isKept],
                    ),
                    [false, true],
                )
                : [],
            self::Output => [
                new ScenarioVariant('as it is', $options->workload()),
                new ScenarioVariant('--quiet', $options->workload()->quiet()),
            ],
            self::Cache => array_map(
                static fn (string $store): ScenarioVariant
                    => new ScenarioVariant(
                        "CACHE_STORE={$store}",
                        $options->workload(),
                        config: ['cache.default' => $store],
                    ),
                array_values(array_intersect(self::STORES, $stores)),
            ),
        };
    }

    /** Why it has no row. */
    public function whyNone(): string
    {
        return match ($this) {
            self::Persistent => 'it is for connections of the driver redis, and --drivers names none',
            self::Cache => 'no cache store of '.implode(', ', self::STORES).' answers',
            default => '--drivers names no connection',
        };
    }

    /** @param int<1, max> $tries */
    private static function slow(int $tries, BenchOptions $options): ScenarioVariant
    {
        // Half of the workers are idle, and take jobs that come again.
        $jobs = max(1, intdiv($options->workers, 2));

        $workload = new Workload(
            $jobs,
            0,
            $options->workers,
            millis: self::SLOW_MILLIS,
            retryAfter: self::SLOW_RETRY_AFTER,
            tries: $tries,
            sleep: 1,
        );

        // A worker that blocks looks for such jobs only when it stops blocking, perhaps after they have ended.
        return new ScenarioVariant("--tries={$tries}", $workload, ['block_for' => null]);
    }

    /** @return list<ScenarioVariant> */
    private static function arriving(string $driver, BenchOptions $options): array
    {
        $jobs = max(self::LEAST_ARRIVALS, (int) (self::ARRIVALS_PER_SECOND * $options->seconds));
        $workload = static fn (float $sleep): Workload
            => new Workload($jobs, 0, $options->workers, arrivals: self::ARRIVALS_PER_SECOND, sleep: $sleep);
        $variants = [
            new ScenarioVariant('--sleep=3', $workload(3), ['block_for' => null]),
            new ScenarioVariant('--sleep=0.1', $workload(0.1), ['block_for' => null]),
        ];

        return in_array($driver, ['redis', 'beanstalkd'], true)
            ? [
                ...$variants,
                new ScenarioVariant('block_for '.self::BLOCK_FOR, $workload(3), ['block_for' => self::BLOCK_FOR]),
            ]
            : $variants;
    }
}
