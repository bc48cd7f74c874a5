<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Closure;
use Headroom\Core\Clock;
use Throwable;

/**
 * Runs a process for each bucket in use, so that a sink that is down or hangs delays no other bucket, and starts a
 * process again when it ends. The supervisor opens no connection or file, because its children would share it.
 *
 * @internal
 */
final class Supervisor
{
    /** @var list<WorkerProcess> */
    private array $workers = [];

    /**
     * @param Closure(string, int): WorkerStopReason $work runs in the new process,
     *     with the bucket and the pid of the supervisor
     * @param Closure(string): bool $isWanted whether a bucket needs a process by now; must not block
     * @param Closure(): bool $isOver besides a signal
     * @param Closure(string): void $say
     */
    public function __construct(
        private readonly Closure $work,
        private readonly Closure $isWanted,
        private readonly Closure $isOver,
        private readonly ProcessControl $processes,
        private readonly ShutdownSignal $stop,
        private readonly Clock $clock,
        private readonly Closure $say,
        private readonly ?BackgroundProcess $background = null,
        private readonly SupervisorOptions $options = new SupervisorOptions,
    ) {}

    /**
     * @param list<string> $buckets
     * @return WorkerStopReason Failed if a bucket failed in its last round, else Stopped
     */
    public function run(array $buckets): WorkerStopReason
    {
        $this->workers = array_map(
            fn (string $bucket): WorkerProcess => new WorkerProcess($bucket, $this->options),
            $buckets,
        );

        while ($this->stop->asked === 0 && ! ($this->isOver)()) {
            $this->reap();
            $this->start();
            $this->background?->tick();

            if ($this->isFinished()) {
                break;
            }

            $this->clock->sleep($this->options->napMicros);
        }

        $this->background?->stop();
        $this->stopAll();

        $failed = array_filter(
            $this->workers,
            static fn (WorkerProcess $worker): bool => $worker->final === WorkerStopReason::Failed,
        );

        return $failed === [] ? WorkerStopReason::Stopped : WorkerStopReason::Failed;
    }

    private function start(): void
    {
        $now = $this->clock->monotonicNanos();

        foreach ($this->workers as $worker) {
            if ($this->stop->asked === 0 && $worker->isWaiting($now) && ($this->isWanted)($worker->bucket)) {
                $this->fork($worker, $now);
            }
        }
    }

    private function fork(WorkerProcess $worker, int $now): void
    {
        $reason = '';
        $work = fn (int $parent): int => $this->workAsChild($worker->bucket, $parent)->value;
        $pid = $this->processes->start($work, $reason);

        if ($pid !== null) {
            $worker->started($pid, $now);
        } else {
            $this->say(
                "could not start a process for bucket {$worker->bucket}: {$reason};"
                    ." next attempt in {$worker->notStarted($now)} s",
            );
        }
    }

    private function workAsChild(string $bucket, int $parent): WorkerStopReason
    {
        try {
            return ($this->work)($bucket, $parent);
        } catch (Throwable $e) {
            try {
                $this->say("the process of bucket {$bucket} failed: {$e->getMessage()}");
            } catch (Throwable) {
                // The output may be closed, too.
            }

            return WorkerStopReason::Error;
        }
    }

    private function reap(): void
    {
        foreach ($this->workers as $worker) {
            $ended = $worker->pid === null ? null : $this->processes->reap($worker->pid);

            if ($ended !== null) {
                $this->recordExit($worker, $ended);
            }
        }
    }

    private function recordExit(WorkerProcess $worker, ProcessExit $ended): void
    {
        $end = $ended->stopReason();
        $pause = $worker->ended($this->clock->monotonicNanos());

        if ($end?->isFinal() === true) {
            $worker->final = $end;

            return;
        }

        $why = match (true) {
            $ended->signal !== null => 'was killed by signal '.$ended->signal,
            $end === WorkerStopReason::MemoryLimit => 'reached its memory limit',
            $end === WorkerStopReason::Stopped => 'was told to stop',
            default => 'ended with exit code '.$ended->code,
        };

        if ($this->stop->asked === 0) {
            $this->say(
                "the process of bucket {$worker->bucket} {$why}; restarting ".($pause === 0 ? 'now' : "in {$pause} s"),
            );
        }
    }

    private function isFinished(): bool
    {
        return array_filter($this->workers, static fn (WorkerProcess $worker): bool => $worker->final === null) === [];
    }

    /** @return list<WorkerProcess> */
    private function alive(): array
    {
        return array_values(array_filter(
            $this->workers,
            static fn (WorkerProcess $worker): bool => $worker->pid !== null,
        ));
    }

    private function stopAll(): void
    {
        $asked = $this->stop->asked;
        $deadline = $this->clock->monotonicNanos() + $this->options->graceSeconds * 1_000_000_000;
        $this->signal($this->stop->signal ?? SIGTERM);

        // A second signal skips the rest of the grace period.
        while (
            $this->alive() !== []
            && $this->clock->monotonicNanos() < $deadline
            && $this->stop->asked <= max(1, $asked)
        ) {
            $this->reapEnding();
            $this->clock->sleep($this->alive() === [] ? 0 : $this->options->endingNapMicros);
        }

        foreach ($this->alive() as $worker) {
            $this->say("the process of bucket {$worker->bucket} did not stop in time and was killed; no event is lost");
        }

        $this->signal(SIGKILL);

        while ($this->alive() !== []) {
            $this->reapEnding();
            $this->clock->sleep($this->alive() === [] ? 0 : $this->options->endingNapMicros);
        }
    }

    private function reapEnding(): void
    {
        foreach ($this->alive() as $worker) {
            if ($this->processes->reap((int) $worker->pid) !== null) {
                $worker->pid = null;
            }
        }
    }

    private function signal(int $signal): void
    {
        foreach ($this->alive() as $worker) {
            $this->processes->signal((int) $worker->pid, $signal);
        }
    }

    private function say(string $message): void
    {
        ($this->say)($message);
    }
}
