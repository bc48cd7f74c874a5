<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

use Headroom\Core\Clock;
use Headroom\Host\TemporaryDirectory;
use Headroom\Host\UnableToFind;
use Headroom\Host\UnableToStart;

/**
 * One run: workers wait at a barrier, jobs are queued, the barrier opens, and it is counted what becomes of each job.
 *
 * @internal
 */
final readonly class Trial
{
    /** Jobs that are pushed in one go, and bytes of them: a server has a limit for what it is sent at once. */
    private const CHUNK = 500;

    private const CHUNK_BYTES = 1_000_000;

    /** @param non-empty-list<string> $command that starts a worker */
    public function __construct(private array $command, private Throttle $throttle, private Clock $clock) {}

    /**
     * @param int<1, max> $jobs
     * @param bool $isJudged whether a machine that is slower than before spoils it; one run alone is taken as it comes
     * @throws UnableToBench
     * @throws UnableToFind
     * @throws UnableToStart
     */
    public function run(Contender $contender, int $jobs, bool $isJudged = true): Outcome
    {
        $place = TemporaryDirectory::create('bench');
        $contender = $contender->guarded();

        try {
            $contender->driver->reset();
            $size = $contender->driver->size();
            $size === 0 || throw UnableToBench::notEmpty($contender->variant->name, $size);

            return $this->measured($contender, $jobs, $isJudged, $place);
        } finally {
            try {
                $contender->driver->reset();
            } catch (UnableToBench) {
                // What failed before says more.
            } finally {
                $place->remove();
            }
        }
    }

    /** @param int<1, max> $jobs */
    private function measured(Contender $contender, int $jobs, bool $isJudged, TemporaryDirectory $place): Outcome
    {
        $workload = $contender->variant->workload;
        $barrier = Barrier::closed($place->file('barrier'));
        $probe = new MachineProbe($place->file('probe'), $this->clock);
        $crew = Crew::start($contender, $this->command, $place, $place->file('barrier'), $this->clock);

        try {
            $crew->awaitReady();
            $workload->arrivals === null ? $this->fill($contender, $jobs) : null;
            $before = $isJudged ? $this->throttle->calm($probe, $contender->variant->facts->durability) : $probe->take();
            $cpu = CpuTimes::now();
            $released = $this->clock->monotonicNanos();
            $barrier->open();
            $watch = new Watch($contender, $jobs, $crew, new StampFiles($place->path, $workload->workers), $this->clock, $released);
            $depth = $watch->untilDone();
            $spent = CpuTimes::now()->since($cpu);
            $lost = $crew->losses();
        } finally {
            $crew->stop();
        }

        $account = Account::of((new StampFiles($place->path, $workload->workers))->read());
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
            array_values(array_filter([...$this->faults($contender, $jobs, $account, $watch->left, $lost), $isJudged ? $slow : null])),
            ['before' => $before, 'after' => $after],
            $spent,
            Complaints::in($place->path),
        );
    }

    private function fill(Contender $contender, int $jobs): void
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
    private function faults(Contender $contender, int $jobs, Account $account, int $left, ?Fault $workers): array
    {
        $counted = $contender->variant->workload->counted;
        $isWhole = $counted === null;
        $lost = $isWhole ? $account->lost($jobs) : [];
        $double = $account->double();

        return array_values(array_filter([
            $lost === [] ? null : Fault::lost($lost),
            $counted !== null && $account->jobs() < $counted ? Fault::tooFew($account->jobs(), $counted) : null,
            $double === [] ? null : Fault::double($double),
            $isWhole && $left > 0 ? Fault::leftBehind($left) : null,
            $account->failed > 0 ? Fault::failed($account->failed) : null,
            $workers,
        ]));
    }
}
