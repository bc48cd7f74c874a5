<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Closure;
use Headroom\Bench\Queues\DriverUnderTest;
use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Bench\Queues\Results\Outcome;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;

/**
 * Runs all variants in turns, round by round: a slow phase of the machine slows all of them.
 *
 * @internal
 */
final class RoundRunner
{
    /** The most jobs of the warm-up run, which also estimates the rate. */
    private const WARM_UP = 2_000;

    /** The start of the workers takes a larger share of a short run than of a long one. */
    private const MARGIN = 1.2;

    /** A queue in memory must not use all of it, so a run with large jobs may be shorter. */
    private const MOST_BYTES = 500_000_000;

    /** The bytes that Laravel adds to a job. */
    private const ENVELOPE_BYTES = 700;

    /** @var array<string, string> by variant: why it is no longer measured */
    private array $refused = [];

    /** @param Closure(string): void $log */
    public function __construct(private readonly BenchmarkRun $run, private readonly Closure $log) {}

    /**
     * @param non-empty-list<DriverUnderTest> $drivers
     * @param int<1, max> $runs of each
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public function run(array $drivers, int $runs): Findings
    {
        $outcomes = array_fill_keys(
            array_map(static fn (DriverUnderTest $underTest): string => $underTest->variant->name, $drivers),
            [],
        );
        $sized = array_map($this->warmUp(...), $drivers);
        // A single run is compared with no other.
        $isJudged = $runs > 1;

        for ($round = 1; $round <= $runs; $round++) {
            // Each begins a round in its turn, so no variant always runs after the same other one.
            $by = ($round - 1) % count($sized);

            foreach ([...array_slice($sized, $by), ...array_slice($sized, 0, $by)] as $underTest) {
                array_push(
                    $outcomes[$underTest->variant->name],
                    ...$this->repeatWhileThrottled($underTest, $isJudged, "round {$round} of {$runs}"),
                );
            }
        }

        return new Findings(array_map(
            fn (DriverUnderTest $underTest): Finding => new Finding(
                $underTest->variant,
                $outcomes[$underTest->variant->name],
                $runs,
                $this->refused[$underTest->variant->name] ?? '',
            ),
            $sized,
        ));
    }

    /** With the number of jobs that makes a run long enough. */
    private function warmUp(DriverUnderTest $underTest): DriverUnderTest
    {
        $workload = $underTest->variant->workload;
        $outcome = $workload->isScalable()
            ? $this->runOrRefuse($underTest, min(self::WARM_UP, $workload->jobs), false)
            : null;

        if ($outcome === null) {
            return $underTest;
        }

        $most = intdiv(self::MOST_BYTES, $workload->payloadBytes + self::ENVELOPE_BYTES);
        $jobs = max(
            $workload->jobs,
            min($most, (int) ceil(self::MARGIN * $workload->seconds * $outcome->perSecond() / 100) * 100),
        );
        ($this->log)(sprintf(
            '%s: %s jobs/s in the warm-up, %s jobs a run',
            $underTest->variant->name,
            number_format($outcome->perSecond()),
            number_format($jobs),
        ));

        return $underTest->withWorkload($workload->with($jobs));
    }

    /** @return list<Outcome> a run that the machine slowed down, and those that replace it */
    private function repeatWhileThrottled(DriverUnderTest $underTest, bool $isJudged, string $round): array
    {
        $outcomes = [];

        while (
            count($outcomes) < Finding::TRIES
            && ($outcome = $this->runOrRefuse($underTest, $underTest->variant->workload->jobs, $isJudged)) !== null
        ) {
            $outcomes[] = $outcome;
            ($this->log)("{$round}, {$underTest->variant->name}: {$outcome->words($underTest->variant->workload)}");

            if (! $outcome->isThrottled()) {
                break;
            }
        }

        return $outcomes;
    }

    /**
     * A variant that cannot be measured does not stop the others.
     * @param int<1, max> $jobs
     */
    private function runOrRefuse(DriverUnderTest $underTest, int $jobs, bool $isJudged): ?Outcome
    {
        if (isset($this->refused[$underTest->variant->name])) {
            return null;
        }

        try {
            return $this->run->run($underTest, $jobs, $isJudged);
        } catch (UnableToBench $e) {
            $this->refused[$underTest->variant->name] = $e->getMessage();
            ($this->log)("{$e->getMessage()}");

            return null;
        }
    }
}
