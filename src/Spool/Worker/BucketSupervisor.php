<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Closure;
use Headroom\Core\Clock;
use Headroom\Process\Supervision\BackgroundProcess;
use Headroom\Process\Supervision\Channel;
use Headroom\Process\Supervision\ProcessExit;
use Headroom\Process\Supervision\ProcessHandle;
use Headroom\Process\Supervision\ShutdownSignal;
use Headroom\Process\Supervision\SlotPolicy;
use Headroom\Process\Supervision\Supervisor;
use Headroom\Process\Supervision\WorkerSlot;
use Throwable;

/**
 * Runs a process for each bucket in use, so that a sink that is down or hangs delays no other bucket. It opens no
 * connection or file, because its forks would share it.
 *
 * @internal
 */
final class BucketSupervisor implements SlotPolicy
{
    private bool $hasFailed = false;

    /**
     * @param Closure(string, Channel): WorkerStopReason $work runs in the new process,
     *     with the bucket and the channel to the supervisor
     * @param Closure(string): bool $isInUse whether a bucket needs a process by now; must not block
     * @param Closure(): bool $isOver besides a signal
     * @param Closure(string, Closure(Channel): int): ProcessHandle $fork
     * @param Closure(string): void $log
     */
    public function __construct(
        private readonly Closure $work,
        private readonly Closure $isInUse,
        private readonly Closure $isOver,
        private readonly Closure $fork,
        private readonly ShutdownSignal $stop,
        private readonly Clock $clock,
        private readonly Closure $log,
        private readonly ?BackgroundProcess $background = null,
        private readonly SupervisorOptions $options = new SupervisorOptions,
        private readonly ?AlertChecks $alerts = null,
    ) {}

    /**
     * @param list<string> $buckets
     * @return WorkerStopReason Failed if a bucket failed in its last round, else Stopped
     */
    public function run(array $buckets): WorkerStopReason
    {
        $slots = array_map($this->slot(...), $buckets);
        $supervisor = new Supervisor($slots, $this, $this->clock, $this->log);

        while ($this->stop->asked === 0 && ! ($this->isOver)()) {
            $supervisor->tick();
            $this->background?->tick();
            $this->alerts?->startIfDue();

            if (array_filter($slots, static fn (WorkerSlot $slot): bool => ! $slot->isFinished) === []) {
                break;
            }

            $supervisor->wait($this->options->napMicros);
        }

        $this->background?->stop();
        $this->stop($supervisor);

        return $this->hasFailed ? WorkerStopReason::Failed : WorkerStopReason::Stopped;
    }

    public function isWanted(WorkerSlot $slot): bool
    {
        return $this->stop->asked === 0 && ($this->isInUse)($slot->name);
    }

    public function isFinal(WorkerSlot $slot, ProcessExit $exit): bool
    {
        $reason = WorkerStopReason::tryFrom($exit->code);
        $this->hasFailed = $this->hasFailed || $reason === WorkerStopReason::Failed;

        return $reason?->isFinal() === true;
    }

    public function describe(ProcessExit $exit): string
    {
        // The code of a process that a signal has ended is 0, which is no reason.
        return match (WorkerStopReason::tryFrom($exit->code)) {
            WorkerStopReason::MemoryLimit => 'reached its memory limit',
            WorkerStopReason::Stopped => 'was told to stop',
            default => $exit->describe(),
        };
    }

    private function slot(string $bucket): WorkerSlot
    {
        $work = fn (Channel $supervisor): int => $this->runInFork($bucket, $supervisor)->value;
        $label = "the process of bucket {$bucket}";

        return new WorkerSlot(
            $bucket,
            fn (): ProcessHandle => ($this->fork)($label, $work),
            $this->options->slots,
            $label,
        );
    }

    private function runInFork(string $bucket, Channel $supervisor): WorkerStopReason
    {
        try {
            return ($this->work)($bucket, $supervisor);
        } catch (Throwable $e) {
            try {
                ($this->log)("the process of bucket {$bucket} failed: {$e->getMessage()}");
            } catch (Throwable) {
                // The output may be closed, too.
            }

            return WorkerStopReason::Error;
        }
    }

    private function stop(Supervisor $supervisor): void
    {
        $asked = max(1, $this->stop->asked);
        $killAt = $this->clock->monotonicNanos() + $this->options->graceSeconds * 1_000_000_000;
        $supervisor->stopStarting();

        foreach ($supervisor->processes() as $process) {
            $process->terminate($this->stop->signal ?? SIGTERM, $killAt);
        }

        for ($supervisor->tick(); ! $supervisor->isEmpty(); $supervisor->tick()) {
            // A second signal skips the rest of the grace period.
            if ($this->stop->asked > $asked) {
                $supervisor->kill('a second signal came');
            }

            $supervisor->wait($this->options->endingNapMicros);
        }
    }
}
