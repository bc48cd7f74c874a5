<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

use Closure;
use Headroom\Bench\Samples;
use Headroom\Host\UnableToFind;
use Headroom\Host\UnableToStart;

/**
 * All variants in turns, round by round: what slows the machine down for a while slows all of them.
 *
 * @internal
 */
final class Rounds
{
    /** Of the jobs that a run has, for the run that warms up and tells how many it takes. */
    private const WARM_UP = 2_000;

    /** Slower than this, against the median of all probes, is another machine. */
    private const SLOWER_CPU = 1.3;

    private const SLOWER_DISK = 4.0;

    private const STOLEN = 0.1;

    /** @var list<Probed> */
    private array $probes = [];

    /** @param Closure(string): void $say */
    public function __construct(private readonly Trial $trial, private readonly Closure $say) {}

    /**
     * @param non-empty-list<Variant> $variants
     * @param int<1, max> $runs of each
     * @throws UnableToBench
     * @throws UnableToFind
     * @throws UnableToStart
     */
    public function run(array $variants, int $runs): Findings
    {
        $outcomes = array_fill_keys(array_map(static fn (Variant $variant): string => $variant->name, $variants), []);
        $sized = array_map($this->warmedUp(...), $variants);

        for ($round = 1; $round <= $runs; $round++) {
            // Each begins a round in its turn, so that none always comes after the same other one.
            $by = ($round - 1) % count($sized);

            foreach ([...array_slice($sized, $by), ...array_slice($sized, 0, $by)] as $variant) {
                foreach ($this->once($variant, "round {$round} of {$runs}") as $outcome) {
                    $outcomes[$variant->name][] = $outcome;
                }
            }
        }

        return new Findings(array_map(static fn (Variant $variant): Finding => new Finding($variant, $outcomes[$variant->name]), $sized));
    }

    /** With as many jobs as a run takes that lasts long enough. */
    private function warmedUp(Variant $variant): Variant
    {
        $workload = $variant->workload;

        if (! $workload->isScalable()) {
            return $variant;
        }

        $outcome = $this->trial->run($variant, min(self::WARM_UP, $workload->jobs));
        array_push($this->probes, ...array_values($outcome->probes));
        // What workers need to begin is in a short run's time, and not in its work: more than it says.
        $jobs = max($workload->jobs, (int) ceil(1.2 * $workload->seconds * $outcome->perSecond() / 100) * 100);
        ($this->say)(sprintf('%s: %s jobs/s while warming up, %s jobs a run', $variant->name, number_format($outcome->perSecond()), number_format($jobs)));

        return $variant->given($workload->with($jobs));
    }

    /** @return non-empty-list<Outcome> a run that the machine spoilt is there too, and the one instead of it */
    private function once(Variant $variant, string $round): array
    {
        $outcomes = [];

        do {
            $outcome = $this->judged($variant, $this->trial->run($variant, $variant->workload->jobs));
            $outcomes[] = $outcome;
            ($this->say)("{$round}, {$variant->name}: ".($outcome->isValid() ? number_format($outcome->perSecond(), $outcome->perSecond() < 100 ? 1 : 0).' jobs/s' : 'not valid: '.implode('; ', array_map(static fn (Fault $fault): string => $fault->words, $outcome->faults))));
        } while ($outcome->isThrottled() && count($outcomes) < 2);

        return $outcomes;
    }

    private function judged(Variant $variant, Outcome $outcome): Outcome
    {
        array_push($this->probes, ...array_values($outcome->probes));
        $cpu = (new Samples(array_map(static fn (Probed $probed): float => $probed->cpuMicros, $this->probes)))->median();
        $disk = (new Samples(array_map(static fn (Probed $probed): float => $probed->syncMicros, $this->probes)))->median();

        foreach ($outcome->probes as $when => $probed) {
            if ($probed->cpuMicros > self::SLOWER_CPU * $cpu) {
                return $outcome->throttled(Fault::throttled(sprintf('a fixed piece of work took %.1f ms %s the run, and %.1f ms as a rule', $probed->cpuMicros / 1_000, $when, $cpu / 1_000)));
            }

            // What keeps nothing on disk is not slower for a slow disk.
            if ($variant->facts->durability === Durability::EachJob && $probed->syncMicros > self::SLOWER_DISK * $disk) {
                return $outcome->throttled(Fault::throttled(sprintf('fdatasync took %.2f ms %s the run, and %.2f ms as a rule', $probed->syncMicros / 1_000, $when, $disk / 1_000)));
            }
        }

        return $outcome->cpu['stolen'] > self::STOLEN ? $outcome->throttled(Fault::throttled(sprintf('%.0f %% of its CPU time went to other virtual machines', 100 * $outcome->cpu['stolen']))) : $outcome;
    }
}
