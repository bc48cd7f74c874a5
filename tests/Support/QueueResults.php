<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Fault;
use Headroom\Bench\Queues\Finding;
use Headroom\Bench\Queues\Findings;
use Headroom\Bench\Queues\Given;
use Headroom\Bench\Queues\Outcome;
use Headroom\Bench\Queues\Probed;
use Headroom\Bench\Queues\Variant;
use Headroom\Bench\Queues\Workload;

/**
 * Results of the benchmark of queues that nobody measured.
 */
final readonly class QueueResults
{
    private const MACHINE = ['cpu' => 'A processor', 'cores' => 2, 'memory_mb' => 4096, 'kernel' => 'Linux 6.1', 'php' => '8.2.0 cli NTS', 'ini' => ['opcache.enable_cli' => '1'], 'commit' => 'abc1234', 'date' => '2026-01-02T03:04:05Z', 'laravel' => '12.0', 'cache_store' => 'file'];

    /** @return array<string, mixed> as benchmarks/queues/run.php writes it */
    public static function whole(): array
    {
        $findings = static fn (Finding $first, Finding ...$more): array => ['given' => (new Given)->toArray(), 'findings' => (new Findings([$first, ...array_values($more)]))->toArray()];
        $rates = [900.0, 1_000.0, 1_300.0, 1_400.0];

        return ['experiment' => 'queues', 'quick' => false, 'result' => [], 'parts' => array_map(static fn (array $figures): array => ['machine' => self::MACHINE, 'figures' => $figures, 'result' => []], [
            'empty' => $findings(self::finding('redis', Durability::Seconds, $rates), self::finding('database:pgsql', Durability::EachJob, $rates)),
            'slow' => $findings(self::finding('redis, --tries=1', Durability::Seconds, [1.0], [Fault::double([0, 1])])),
            'arrivals' => $findings(self::finding('redis, --sleep=3', Durability::Seconds, [20.0], [], [1.5, 2.5])),
            'by-hand' => ['given' => (new Given)->toArray(), 'rows' => [
                ['driver' => 'redis', 'jobs' => 1_000, 'bench' => [900.0, 950.0], 'by_hand' => [905.0, 955.0], 'compared' => ['ratio' => 1.01, 'p25' => 0.99, 'p75' => 1.02], 'within_iqr' => true, 'difference_seen' => false],
                ['driver' => 'beanstalkd', 'jobs' => 1_000, 'bench' => [900.0, 950.0], 'by_hand' => [905.0, 955.0], 'compared' => ['ratio' => 1.01, 'p25' => 0.99, 'p75' => 1.02], 'within_iqr' => false, 'difference_seen' => true],
            ]],
        ])];
    }

    /**
     * @param list<float> $rates
     * @param list<Fault> $faults
     * @param list<float> $waits
     */
    private static function finding(string $name, Durability $durability, array $rates, array $faults = [], array $waits = []): Finding
    {
        $probed = new Probed(5_000, 200);

        return new Finding(
            new Variant($name, new DriverFacts('A server 7', $durability, ['fsync' => 'on'], ['a note']), new Workload(1_000, 0, 10, 500, 0, 0, 20.0, 2)),
            array_map(static fn (float $rate): Outcome => new Outcome(1_000, 500, 500 / $rate, 1_000, [[0.0, 1_000], [0.5, 400]], $waits, $faults, ['before' => $probed, 'after' => $probed], ['busy' => 0.9, 'stolen' => 0.0], ['Gone' => 2]), $rates),
            count($rates),
        );
    }
}
