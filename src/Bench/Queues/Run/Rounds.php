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
 * All variants in turns, round by round: what slows the machine down for a while slows all of them.
 *
 * @internal
 */
final class Rounds
{
    /** At most so many jobs for the run that warms up and tells how fast it goes. */
    private const WARM_UP = 2_000;

    /** What workers need to begin is in the time of a short run, and hardly in that of a long one. */
    private const MARGIN = 1.2;

    /** A queue in memory shall not take all of it: a run with large jobs may be shorter. */
    private const MOST_BYTES = 500_000_000;

    /** What Laravel puts around a job. */
    private const ENVELOPE_BYTES = 700;

    /** @var array<string, string> by variant: why it is not measured any more */
    private array $refused = [];

    /** @param Closure(string): void $say */
    public function __construct(private readonly BenchmarkRun $trial, private readonly Closure $say) {}

    /**
     * @param non-empty-list<DriverUnderTest> $contenders
     * @param int<1, max> $runs of each
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public function run(array $contenders, int $runs): Findings
    {
        $outcomes = array_fill_keys(
            array_map(static fn (DriverUnderTest $contender): string => $contender->variant->name, $contenders),
            [],
        );
        $sized = array_map($this->warmedUp(...), $contenders);
        // One alone is compared with nothing.
        $isJudged = $runs > 1;

        for ($round = 1; $round <= $runs; $round++) {
            // Each begins a round in its turn, so that none always comes after the same other one.
            $by = ($round - 1) % count($sized);

            foreach ([...array_slice($sized, $by), ...array_slice($sized, 0, $by)] as $contender) {
                array_push(
                    $outcomes[$contender->variant->name],
                    ...$this->once($contender, $isJudged, "round {$round} of {$runs}"),
                );
            }
        }

        return new Findings(array_map(
            fn (DriverUnderTest $contender): Finding => new Finding(
                $contender->variant,
                $outcomes[$contender->variant->name],
                $runs,
                $this->refused[$contender->variant->name] ?? '',
            ),
            $sized,
        ));
    }

    /** With as many jobs as a run takes that lasts long enough. */
    private function warmedUp(DriverUnderTest $contender): DriverUnderTest
    {
        $workload = $contender->variant->workload;
        $outcome = $workload->isScalable()
            ? $this->tried($contender, min(self::WARM_UP, $workload->jobs), false)
            : null;

        if ($outcome === null) {
            return $contender;
        }

        $most = intdiv(self::MOST_BYTES, $workload->payloadBytes + self::ENVELOPE_BYTES);
        $jobs = max(
            $workload->jobs,
            min($most, (int) ceil(self::MARGIN * $workload->seconds * $outcome->perSecond() / 100) * 100),
        );
        ($this->say)(sprintf(
            '%s: %s jobs/s while warming up, %s jobs a run',
            $contender->variant->name,
            number_format($outcome->perSecond()),
            number_format($jobs),
        ));

        return $contender->given($workload->with($jobs));
    }

    /** @return list<Outcome> a run that the machine spoilt is there too, and the ones instead of it */
    private function once(DriverUnderTest $contender, bool $isJudged, string $round): array
    {
        $outcomes = [];

        while (
            count($outcomes) < Finding::TRIES
            && ($outcome = $this->tried($contender, $contender->variant->workload->jobs, $isJudged)) !== null
        ) {
            $outcomes[] = $outcome;
            ($this->say)("{$round}, {$contender->variant->name}: {$outcome->words($contender->variant->workload)}");

            if (! $outcome->isThrottled()) {
                break;
            }
        }

        return $outcomes;
    }

    /**
     * One that can not be measured does not keep the others from it.
     *
     * @param int<1, max> $jobs
     */
    private function tried(DriverUnderTest $contender, int $jobs, bool $isJudged): ?Outcome
    {
        if (isset($this->refused[$contender->variant->name])) {
            return null;
        }

        try {
            return $this->trial->run($contender, $jobs, $isJudged);
        } catch (UnableToBench $e) {
            $this->refused[$contender->variant->name] = $e->getMessage();
            ($this->say)("{$e->getMessage()}");

            return null;
        }
    }
}
