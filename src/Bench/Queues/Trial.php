<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Host\TemporaryDirectory;
use Headroom\Host\UnableToFind;
use Headroom\Host\UnableToStart;
use Throwable;

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
     * @throws UnableToBench
     * @throws UnableToFind
     * @throws UnableToStart
     */
    public function run(Contender $contender, int $jobs): Outcome
    {
        $place = TemporaryDirectory::create('bench');

        try {
            $this->driven($contender, 'emptying the queue', static fn (Driver $driver) => $driver->reset());
            $size = $this->size($contender);
            $size === 0 || throw UnableToBench::notEmpty($contender->variant->name, $size);

            return $this->measured($contender, $jobs, $place);
        } finally {
            try {
                $contender->driver->reset();
            } catch (Throwable) {
                // What failed before says more.
            }

            $place->remove();
        }
    }

    /** @param int<1, max> $jobs */
    private function measured(Contender $contender, int $jobs, TemporaryDirectory $place): Outcome
    {
        $workload = $contender->variant->workload;
        $barrier = Barrier::closed($place->file('barrier'));
        $probe = new Probe($place->file('probe'), $this->clock);
        $crew = Crew::start($contender, $this->command, $place, $place->file('barrier'), $this->clock);

        try {
            $crew->awaitReady();
            $workload->arrivals === null ? $this->fill($contender, $jobs) : null;
            $before = $this->throttle->calm($probe, $contender->variant->facts->durability);
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
        $after = $this->throttle->take($probe);
        $counted = $workload->counted ?? $jobs;
        $end = $account->endOf($counted);

        return new Outcome(
            $jobs,
            min($counted, $account->executions()),
            $end === null ? null : ($end - $released) / 1_000_000_000,
            $account->executions(),
            $depth,
            $workload->arrivals === null ? [] : $account->waits(),
            array_values(array_filter([...$this->faults($contender, $jobs, $account, $watch->left, $lost), $this->throttle->fault($before, $after, $spent, $contender->variant->facts->durability)])),
            ['before' => $before, 'after' => $after],
            $spent,
            Complaints::in($place->path),
        );
    }

    private function fill(Contender $contender, int $jobs): void
    {
        $chunk = max(1, min(self::CHUNK, intdiv(self::CHUNK_BYTES, 1 + $contender->variant->workload->payloadBytes)));

        for ($first = 0; $first < $jobs; $first += $chunk) {
            $this->driven($contender, 'pushing jobs', static fn (Driver $driver) => $driver->push($first, min($chunk, $jobs - $first), $contender->variant->workload));
        }

        $size = $this->size($contender);
        $size === $jobs || throw UnableToBench::notQueued($contender->variant->name, $size, $jobs);
    }

    /** @return list<Fault> */
    private function faults(Contender $contender, int $jobs, Account $account, int $left, ?Fault $workers): array
    {
        $isWhole = $contender->variant->workload->counted === null;
        $lost = $isWhole ? $account->lost($jobs) : [];
        $double = $account->double();

        return array_values(array_filter([
            $lost === [] ? null : Fault::lost($lost),
            $double === [] ? null : Fault::double($double),
            $isWhole && $left > 0 ? Fault::leftBehind($left) : null,
            $account->failed > 0 ? Fault::failed($account->failed) : null,
            $workers,
        ]));
    }

    private function size(Contender $contender): int
    {
        return $this->driven($contender, 'counting jobs', static fn (Driver $driver): int => $driver->size());
    }

    /**
     * @template T
     * @param Closure(Driver): T $what
     * @return T
     * @throws UnableToBench
     */
    private function driven(Contender $contender, string $words, Closure $what): mixed
    {
        try {
            return $what($contender->driver);
        } catch (HeadroomException $e) {
            throw $e;
        } catch (Throwable $e) {
            throw UnableToBench::driver($contender->variant->name, $words, $e);
        }
    }
}
