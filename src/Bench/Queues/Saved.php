<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;

/**
 * Findings as they were written, read again.
 *
 * @internal
 */
final readonly class Saved
{
    /**
     * @param Piece $of the table that has them
     * @param string $key of what Findings::toArray() gave
     * @throws UnableToReadResults
     */
    public static function findings(Piece $of, string $key = 'findings'): Findings
    {
        return new Findings(array_map(self::finding(...), $of->rows($key, 'variant')));
    }

    /** @throws UnableToReadResults */
    public static function given(Piece $given): Given
    {
        return new Given(
            $given->whole('jobs', 1),
            $given->number('seconds'),
            $given->whole('workers', 1),
            $given->whole('runs', 1),
            $given->whole('deep', 1),
        );
    }

    private static function finding(Piece $finding): Finding
    {
        return new Finding(
            new Variant(
                $finding->text('variant'),
                self::facts($finding->at('driver')),
                self::workload($finding->at('workload')),
            ),
            array_map(self::outcome(...), $finding->list('outcomes')),
            $finding->whole('runs'),
            $finding->text('refused'),
        );
    }

    private static function facts(Piece $driver): DriverFacts
    {
        return new DriverFacts(
            $driver->text('software'),
            $driver->one('durability', Durability::class),
            $driver->at('settings')->texts(),
            $driver->lines('notes'),
        );
    }

    private static function workload(Piece $workload): Workload
    {
        return new Workload(
            $workload->whole('jobs', 1),
            0,
            $workload->whole('workers', 1),
            $workload->wholeOrNull('counted', 1),
            $workload->whole('payload_bytes'),
            $workload->whole('job_ms'),
            $workload->numberOrNull('arrivals_per_s', Piece::LEAST),
            $workload->wholeOrNull('retry_after_s'),
            $workload->whole('tries'),
            $workload->number('sleep_s'),
            $workload->isTrue('quiet'),
        );
    }

    private static function outcome(Piece $outcome): Outcome
    {
        $jobs = $outcome->whole('jobs', 1);
        $seconds = $outcome->numberOrNull('seconds', Piece::LEAST);
        $counted = $outcome->whole('counted', $seconds === null ? 0 : 1);

        return new Outcome(
            $jobs,
            $counted <= $jobs ? $counted : throw $outcome->wrong('counted', "no more than the {$jobs} jobs"),
            $seconds,
            $outcome->whole('executions'),
            self::depth($outcome),
            $outcome->at('waits_ms')->numbers(),
            array_map(self::fault(...), $outcome->list('faults')),
            [
                'before' => self::probed($outcome->at('probe_before')),
                'after' => self::probed($outcome->at('probe_after')),
            ],
            ['busy' => $outcome->at('cpu')->number('busy', -1), 'stolen' => $outcome->at('cpu')->number('stolen', -1)],
            $outcome->at('errors')->counts(),
        );
    }

    /** @return list<array{float, int}> */
    private static function depth(Piece $outcome): array
    {
        $depth = [];
        $before = 0.0;

        foreach ($outcome->list('depth') as $point) {
            $at = $point->number('0');
            $before = $at >= $before
                ? $at
                : throw $point->wrong('0', "no time before {$before}, which stands above it,");
            $depth[] = [$at, $point->whole('1')];
        }

        return $depth;
    }

    private static function fault(Piece $fault): Fault
    {
        return Fault::of($fault->one('fault', FaultKind::class), $fault->whole('count'), $fault->text('words'));
    }

    private static function probed(Piece $probe): Probed
    {
        return new Probed($probe->number('cpu_us'), $probe->number('fdatasync_us'));
    }
}
