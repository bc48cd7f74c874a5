<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Closure;
use Headroom\Bench\Queues\Crew;
use Headroom\Bench\Queues\DriverUnderTest;
use Headroom\Bench\Queues\NeedsStatistics;
use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\Outcome;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Bench\Queues\WorkerErrors;
use Headroom\Core\Clock;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;

/**
 * One run: workers wait at a barrier, jobs are queued, the barrier opens, and it is counted what becomes of each job.
 *
 * @internal
 */
final readonly class BenchmarkRun
{
    /** Jobs that are pushed in one go, and bytes of them: a server has a limit for what it is sent at once. */
    private const CHUNK = 500;

    private const CHUNK_BYTES = 1_000_000;

    /**
     * @param non-empty-list<string> $command that starts a worker
     * @param Closure(string): void $say
     */
    public function __construct(
        private array $command,
        private StabilityCheck $throttle,
        private Clock $clock,
        private Closure $say,
    ) {}

    /**
     * @param int<1, max> $jobs
     * @param bool $isJudged whether a machine that is slower than before spoils it; one run alone is taken as it comes
     * @throws UnableToBench
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public function run(DriverUnderTest $contender, int $jobs, bool $isJudged = true): Outcome
    {
        $contender = ExceptionMappingDriver::around($contender);
        $size = $contender->driver->size();
        // Nobody else knows its name. A driver that has one queue for all names has jobs of somebody else in it, and
        // those are not ours to remove.
        $size === 0 || throw UnableToBench::inUse($contender->variant->name, $size);
        $place = TemporaryDirectory::create('bench');

        try {
            $contender->driver->reset();
            $size = $contender->driver->size();
            $size === 0 || throw UnableToBench::notEmpty($contender->variant->name, $size);

            return $this->measured($contender, $jobs, $isJudged, $place);
        } finally {
            try {
                $this->clear($contender);
            } finally {
                $place->remove();
            }
        }
    }

    private function clear(DriverUnderTest $contender): void
    {
        try {
            $contender->driver->reset();
        } catch (UnableToBench $e) {
            ($this->say)("{$e->getMessage()} What is in its queue {$contender->queue()} stays there.");
        }
    }

    /** @param int<1, max> $jobs */
    private function measured(DriverUnderTest $contender, int $jobs, bool $isJudged, TemporaryDirectory $place): Outcome
    {
        $workload = $contender->variant->workload;
        $barrier = Barrier::closed($place->file('barrier'));
        $probe = new MachineProbe($place->file('probe'), $this->clock);
        $crew = Crew::start($contender, $this->command, $place, $place->file('barrier'), $this->clock);

        try {
            $crew->awaitReady();
            $workload->arrivals === null ? $this->fill($contender, $jobs) : null;
            $before = $isJudged
                ? $this->throttle->calm($probe, $contender->variant->facts->durability)
                : $probe->take();
            $cpu = CpuTimes::now();
            $released = $this->clock->monotonicNanos();
            $barrier->open();
            $watch = new QueueMonitor(
                $contender,
                $jobs,
                $crew,
                new StampFiles($place->path, $workload->workers),
                $this->clock,
                $released,
            );
            $depth = $watch->untilDone();
            $spent = CpuTimes::now()->since($cpu);
            $lost = $crew->losses();
        } finally {
            $crew->stop();
        }

        $stamps = new StampFiles($place->path, $workload->workers);
        $account = JobLedger::of($stamps->read(), $stamps->begun());
        $left = $workload->counted === null ? $watch->left : $contender->driver->size();
        $after = $probe->take();
        $counted = $workload->counted ?? $jobs;
        $end = $account->endOf($counted);
        $slow = $this->throttle->fault($before, $after, $spent, $contender->variant->facts->durability);

        return new Outcome(
            $jobs,
            min($counted, $account->executions()),
            $end === null ? null : ($end - $released) / 1_000_000_000,
            $account->executions(),
            $depth,
            $workload->arrivals === null ? [] : $account->waits(),
            array_values(array_filter([
                ...$this->faults($contender, $jobs, $account, $left, $lost), $isJudged ? $slow : null,
            ])),
            ['before' => $before, 'after' => $after],
            $spent,
            WorkerErrors::in($place->path),
        );
    }

    private function fill(DriverUnderTest $contender, int $jobs): void
    {
        $chunk = max(1, min(self::CHUNK, intdiv(self::CHUNK_BYTES, 1 + $contender->variant->workload->payloadBytes)));

        for ($first = 0; $first < $jobs; $first += $chunk) {
            $contender->driver->push($first, min($chunk, $jobs - $first), $contender->variant->workload);
        }

        $contender->driver instanceof NeedsStatistics ? $contender->driver->analyze() : null;
        $size = $contender->driver->size();
        $size === $jobs || throw UnableToBench::notQueued($contender->variant->name, $size, $jobs);
    }

    /** @return list<Fault> */
    private function faults(DriverUnderTest $contender, int $jobs, JobLedger $account, int $left, ?Fault $workers): array
    {
        $counted = $contender->variant->workload->counted;
        $isWhole = $counted === null;
        $lost = $isWhole ? $account->lost($jobs) : [];
        // Of the others it is only known how many there are. Each worker was ended over a job that may be in
        // either or in neither place.
        $gone = $isWhole ? 0 : $jobs - $left - $account->jobs() - $contender->variant->workload->workers;
        $double = $account->double();

        return array_values(array_filter([
            $lost === [] ? null : Fault::lost($lost),
            $counted !== null && $account->jobs() < $counted ? Fault::tooFew($account->jobs(), $counted) : null,
            $gone > 0 ? Fault::gone($gone) : null,
            $double === [] ? null : Fault::double($double),
            $isWhole && $left > 0 ? Fault::leftBehind($left) : null,
            $account->failed > 0 ? Fault::failed($account->failed) : null,
            $workers,
        ]));
    }
}
