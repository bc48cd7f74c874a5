<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\FaultKind;
use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Bench\Queues\Results\Outcome;
use Headroom\Bench\Queues\Results\ProbeResult;
use Headroom\Bench\Queues\Variant;
use Headroom\Bench\Queues\Workload;
use Headroom\Benchmarks\Report\Figures;
use PHPUnit\Framework\Assert;

/**
 * The findings of a scenario, from the JSON of the command.
 */
final readonly class ReadFindings
{
    public static function of(Figures $scenario): Findings
    {
        $findings = array_values(array_map(self::finding(...), $scenario->entries()));
        Assert::assertNotSame([], $findings);

        return new Findings($findings);
    }

    private static function finding(Figures $finding): Finding
    {
        return new Finding(
            new Variant(
                $finding->text('variant'),
                new DriverFacts(
                    $finding->text('driver/software'),
                    Durability::from($finding->text('driver/durability')),
                    self::texts($finding->at('driver/settings')),
                    array_values(self::texts($finding->at('driver/notes'))),
                ),
                self::workload($finding->at('workload')),
            ),
            array_values(array_map(self::outcome(...), $finding->entries('outcomes'))),
            self::whole($finding, 'runs'),
            $finding->text('refused'),
        );
    }

    private static function workload(Figures $workload): Workload
    {
        $wholeOrNull = static fn (string $key): ?int
            => ($number = $workload->number($key)) === null ? null : (int) $number;

        return new Workload(
            max(1, self::whole($workload, 'jobs')),
            0,
            max(1, self::whole($workload, 'workers')),
            ($counted = $wholeOrNull('counted')) === null ? null : max(1, $counted),
            max(0, self::whole($workload, 'payload_bytes')),
            max(0, self::whole($workload, 'job_ms')),
            $workload->number('arrivals_per_s'),
            $wholeOrNull('retry_after_s'),
            max(0, self::whole($workload, 'tries')),
            (float) $workload->number('sleep_s'),
            $workload->number('quiet') === 1.0,
        );
    }

    private static function outcome(Figures $outcome): Outcome
    {
        return new Outcome(
            max(1, self::whole($outcome, 'jobs')),
            self::whole($outcome, 'counted'),
            $outcome->number('seconds'),
            self::whole($outcome, 'executions'),
            array_values(array_map(
                static fn (Figures $point): array => [(float) $point->number('0'), self::whole($point, '1')],
                $outcome->entries('depth'),
            )),
            array_values(array_map(
                static fn (Figures $wait): float => (float) $wait->number(),
                $outcome->entries('waits_ms'),
            )),
            array_values(array_map(
                static fn (Figures $fault): Fault => Fault::of(
                    FaultKind::from($fault->text('fault')),
                    self::whole($fault, 'count'),
                    $fault->text('words'),
                ),
                $outcome->entries('faults'),
            )),
            [
                'before' => self::probed($outcome->at('probe_before')),
                'after' => self::probed($outcome->at('probe_after')),
            ],
            ['busy' => (float) $outcome->number('cpu/busy'), 'stolen' => (float) $outcome->number('cpu/stolen')],
            self::counts($outcome->entries('errors')),
        );
    }

    private static function probed(Figures $probe): ProbeResult
    {
        return new ProbeResult((float) $probe->number('cpu_us'), (float) $probe->number('fdatasync_us'));
    }

    /**
     * @param array<array-key, Figures> $errors
     * @return array<string, int>
     */
    private static function counts(array $errors): array
    {
        $counts = [];

        foreach ($errors as $error => $count) {
            $counts[(string) $error] = (int) $count->number();
        }

        return $counts;
    }

    /** @return array<string, string> */
    private static function texts(Figures $texts): array
    {
        $all = [];

        foreach ($texts->entries() as $key => $text) {
            $all[(string) $key] = $text->text();
        }

        return $all;
    }

    private static function whole(Figures $figures, string $key): int
    {
        return (int) $figures->number($key);
    }
}
