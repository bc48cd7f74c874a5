<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

use Closure;
use Headroom\Core\Clock;
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
    public function run(Variant $variant, int $jobs): Outcome
    {
        $place = TemporaryDirectory::create('bench');

        try {
            $this->driven($variant, 'emptying the queue', static fn (Driver $driver) => $driver->reset());
            $size = $this->size($variant);
            $size === 0 || throw UnableToBench::notEmpty($variant->name, $size);

            return $this->measured($variant, $jobs, $place);
        } finally {
            try {
                $variant->driver->reset();
            } catch (Throwable) {
                // What failed before says more.
            }

            $place->remove();
        }
    }

    /** @param int<1, max> $jobs */
    private function measured(Variant $variant, int $jobs, TemporaryDirectory $place): Outcome
    {
        $workload = $variant->workload;
        $barrier = Barrier::closed($place->file('barrier'));
        $probe = new Probe($place->file('probe'), $this->clock);
        $crew = Crew::start($variant, $this->command, $place, $place->file('barrier'), $this->clock);

        try {
            $crew->awaitReady();
            $workload->arrivals === null ? $this->fill($variant, $jobs) : null;
            $before = $this->throttle->calm($probe, $variant->facts->durability);
            $cpu = CpuTimes::now();
            $released = $this->clock->monotonicNanos();
            $barrier->open();
            $watch = new Watch($variant, $jobs, $crew, new StampFiles($place->path, $workload->workers), $this->clock, $released);
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
            array_values(array_filter([...$this->faults($variant, $jobs, $account, $watch->left, $lost), $this->throttle->fault($before, $after, $spent, $variant->facts->durability)])),
            ['before' => $before, 'after' => $after],
            $spent,
            Complaints::in($place->path),
        );
    }

    private function fill(Variant $variant, int $jobs): void
    {
        $chunk = max(1, min(self::CHUNK, intdiv(self::CHUNK_BYTES, 1 + $variant->workload->payloadBytes)));

        for ($first = 0; $first < $jobs; $first += $chunk) {
            $this->driven($variant, 'pushing jobs', static fn (Driver $driver) => $driver->push($first, min($chunk, $jobs - $first), $variant->workload));
        }

        $size = $this->size($variant);
        $size === $jobs || throw UnableToBench::notQueued($variant->name, $size, $jobs);
    }

    /** @return list<Fault> */
    private function faults(Variant $variant, int $jobs, Account $account, int $left, ?Fault $workers): array
    {
        $isWhole = $variant->workload->counted === null;
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

    private function size(Variant $variant): int
    {
        return $this->driven($variant, 'counting jobs', static fn (Driver $driver): int => $driver->size());
    }

    /**
     * @template T
     * @param Closure(Driver): T $what
     * @return T
     * @throws UnableToBench
     */
    private function driven(Variant $variant, string $words, Closure $what): mixed
    {
        try {
            return $what($variant->driver);
        } catch (UnableToBench $e) {
            throw $e;
        } catch (Throwable $e) {
            throw UnableToBench::driver($variant->name, $words, $e);
        }
    }
}
