<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Closure;
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
 * One run: workers wait at a barrier, jobs are queued, the barrier opens, and the fate of each job is counted.
 *
 * @internal
 */
final readonly class BenchmarkRun
{
    /** Jobs, and their bytes, that are pushed in one call: a server limits the size of a request. */
    private const CHUNK = 500;

    private const CHUNK_BYTES = 1_000_000;

    /**
     * @param non-empty-list<string> $command that starts a worker
     * @param Closure(string): void $log
     */
    public function __construct(
        private array $command,
        private StabilityCheck $stability,
        private Clock $clock,
        private Closure $log,
    ) {}

    /**
     * @param int<1, max> $jobs
     * @param bool $isJudged whether a slower machine makes the run invalid; a single run is accepted as it is
     * @throws UnableToBench
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public function run(DriverUnderTest $underTest, int $jobs, bool $isJudged = true): Outcome
    {
        $underTest = ExceptionMappingDriver::around($underTest);
        $size = $underTest->driver->size();
        // The name is unique. If a driver has one queue for all names, these jobs belong to other code and must stay.
        $size === 0 || throw UnableToBench::inUse($underTest->variant->name, $size);
        $place = TemporaryDirectory::create('bench');

        try {
            $underTest->driver->reset();
            $size = $underTest->driver->size();
            $size === 0 || throw UnableToBench::notEmpty($underTest->variant->name, $size);

            return $this->measured($underTest, $jobs, $isJudged, $place);
        } finally {
            try {
                $this->clear($underTest);
            } finally {
                $place->remove();
            }
        }
    }

    private function clear(DriverUnderTest $underTest): void
    {
        try {
            $underTest->driver->reset();
        } catch (UnableToBench $e) {
            ($this->log)("{$e->getMessage()} The jobs in its queue {$underTest->queue()} stay there.");
        }
    }

    /** @param int<1, max> $jobs */
    private function measured(DriverUnderTest $underTest, int $jobs, bool $isJudged, TemporaryDirectory $place): Outcome
    {
        $workload = $underTest->variant->workload;
        $barrier = Barrier::closed($place->file('barrier'));
        $probe = new MachineProbe($place->file('probe'), $this->clock);
        $workers = WorkerPool::start($underTest, $this->command, $place, $place->file('barrier'), $this->clock);

        try {
            $workers->awaitReady();
            $workload->arrivals === null ? $this->fill($underTest, $jobs) : null;
            $before = $isJudged
                ? $this->stability->calm($probe, $underTest->variant->facts->durability)
                : $probe->take();
            $cpu = CpuTimes::now();
            $released = $this->clock->monotonicNanos();
            $barrier->open();
            $monitor = new QueueMonitor(
                $underTest,
                $jobs,
                $workers,
                new JobRecordFiles($place->path, $workload->workers),
                $this->clock,
                $released,
            );
            $depth = $monitor->untilDone();
            $spent = CpuTimes::now()->since($cpu);
            $lost = $workers->losses();
        } finally {
            $workers->stop();
        }

        $records = new JobRecordFiles($place->path, $workload->workers);
        $ledger = JobLedger::of($records->read(), $records->begun());
        $left = $workload->counted === null ? $monitor->left : $underTest->driver->size();
        $after = $probe->take();
        $counted = $workload->counted ?? $jobs;
        $end = $ledger->endOfRun($counted);
        $slow = $this->stability->fault($before, $after, $spent, $underTest->variant->facts->durability);

        return new Outcome(
            $jobs,
            min($counted, $ledger->runs()),
            $end === null ? null : ($end - $released) / 1_000_000_000,
            $ledger->runs(),
            $depth,
            $workload->arrivals === null ? [] : $ledger->waits(),
            array_values(array_filter([
                ...$this->faults($underTest, $jobs, $ledger, $left, $lost), $isJudged ? $slow : null,
            ])),
            ['before' => $before, 'after' => $after],
            $spent,
            WorkerErrors::in($place->path),
        );
    }

    private function fill(DriverUnderTest $underTest, int $jobs): void
    {
        $chunk = max(1, min(self::CHUNK, intdiv(self::CHUNK_BYTES, 1 + $underTest->variant->workload->payloadBytes)));

        for ($first = 0; $first < $jobs; $first += $chunk) {
            $underTest->driver->push($first, min($chunk, $jobs - $first), $underTest->variant->workload);
        }

        $underTest->driver instanceof NeedsStatistics ? $underTest->driver->analyze() : null;
        $size = $underTest->driver->size();
        $size === $jobs || throw UnableToBench::notQueued($underTest->variant->name, $size, $jobs);
    }

    /** @return list<Fault> */
    private function faults(DriverUnderTest $underTest, int $jobs, JobLedger $ledger, int $left, ?Fault $workers): array
    {
        $counted = $underTest->variant->workload->counted;
        $isWhole = $counted === null;
        $lost = $isWhole ? $ledger->lost($jobs) : [];
        // Only the number of the other jobs is known. Each worker was killed with a job that may be in either place
        // or in neither.
        $gone = $isWhole ? 0 : $jobs - $left - $ledger->jobs() - $underTest->variant->workload->workers;
        $duplicated = $ledger->duplicated();

        return array_values(array_filter([
            $lost === [] ? null : Fault::lost($lost),
            $counted !== null && $ledger->jobs() < $counted ? Fault::tooFew($ledger->jobs(), $counted) : null,
            $gone > 0 ? Fault::gone($gone) : null,
            $duplicated === [] ? null : Fault::double($duplicated),
            $isWhole && $left > 0 ? Fault::leftBehind($left) : null,
            $ledger->failed > 0 ? Fault::failed($ledger->failed) : null,
            $workers,
        ]));
    }
}
