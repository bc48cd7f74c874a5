<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Core\Clock;
use Headroom\Process\Supervision\ProcessExit;
use Headroom\Process\Supervision\SlotPolicy;
use Headroom\Process\Supervision\Supervisor;
use Headroom\Process\Supervision\WorkerProcess;
use Headroom\Process\Supervision\WorkerSlot;

/**
 * The processes of a collector: workers, which accept requests, and flushers, which deliver events. The pool replaces
 * them one after the other, and ends the workers before the flushers.
 *
 * @internal
 */
final class WorkerPool implements SlotPolicy
{
    /** To a worker: finish the requests under way and end. Others go on listening. */
    public const DRAIN = 'drain';

    /** To a worker: as above, and close the listening sockets when no connection waits in them. */
    public const DRAIN_LAST = 'drain_last';

    /** To a worker: commit and answer the requests that have arrived, and end. */
    public const STOP = 'stop';

    private const SECOND = 1_000_000_000;

    private const STOP_SECONDS = 2;

    /** spool:work kills its own processes after 30 seconds. */
    private const FLUSHER_SECONDS = 40;

    private readonly Supervisor $supervisor;

    /** @var list<string> names of the slots to replace, in order */
    private array $queue = [];

    /** Result of the last reload: "done" or the reason why it was given up; null before the first. */
    public ?string $reloadResult = null;

    private bool $isReloading = false;

    private bool $isStopping = false;

    /**
     * @param list<WorkerSlot> $workers
     * @param list<WorkerSlot> $flushers
     * @param Closure(string): void $log
     * @param int $drainNanos grace period of a worker
     */
    public function __construct(
        public readonly array $workers,
        private readonly array $flushers,
        private readonly Closure $log,
        private readonly Clock $clock,
        private readonly int $drainNanos,
    ) {
        $this->supervisor = new Supervisor([...$workers, ...$flushers], $this, $clock, $log);
    }

    public function tick(): void
    {
        $this->supervisor->tick();
        $this->drainReplaced();

        foreach ($this->slots() as $slot) {
            if ($slot->replacementFailure !== null) {
                $this->giveUpReload("{$slot->replacementFailure}; the old process continues");
                $slot->replacementFailure = null;
            }

            $this->queueRecycling($slot);
        }

        $this->replaceNext();

        // Flushers deliver what the last workers have accepted.
        if ($this->isStopping && ! $this->hasWorkerProcesses()) {
            array_map($this->terminateFlusher(...), $this->flushers);
        }
    }

    public function wait(int $micros): void
    {
        $this->supervisor->wait($micros);
    }

    /** Replaces all processes one after the other. Each worker finishes only after its successor is ready. */
    public function reload(): void
    {
        ($this->log)($this->isReloading ? 'reload: started again' : 'reload: started');
        $this->isReloading = true;
        $this->reloadResult = null;
        $this->queue = array_map(static fn (WorkerSlot $slot): string => $slot->name, $this->slots());

        foreach ($this->slots() as $slot) {
            $slot->backoff->reset();
        }
    }

    public function isReloading(): bool
    {
        return $this->isReloading;
    }

    /** @param bool $isFast workers commit and answer what has arrived, and wait for nothing else */
    public function stop(bool $isFast): void
    {
        $this->isStopping = true;
        $this->isReloading = false;
        $this->queue = [];
        $this->supervisor->stopStarting();
        $killAt = $this->clock->monotonicNanos() + ($isFast ? self::STOP_SECONDS * self::SECOND : $this->drainNanos);

        foreach ($this->workers as $slot) {
            foreach ($slot->processes() as $process) {
                $this->send($process, $isFast ? self::STOP : self::DRAIN_LAST, $killAt);
            }
        }

        if ($isFast || $this->activeWorkers() === 0) {
            array_map($this->terminateFlusher(...), $this->flushers);
        }
    }

    public function kill(): void
    {
        $this->supervisor->kill('a third signal came');
    }

    public function isEmpty(): bool
    {
        return $this->supervisor->isEmpty();
    }

    /** Whether no worker is left, and none is started again before a reload. */
    public function hasGivenUp(): bool
    {
        return ! $this->hasWorkerProcesses()
            && array_filter($this->workers, static fn (WorkerSlot $slot): bool => ! $slot->backoff->hasGivenUp) === [];
    }

    public function isReady(): bool
    {
        return $this->activeWorkers() > 0 && array_filter(
            $this->workers,
            static fn (WorkerSlot $slot): bool => $slot->current === null && ! $slot->backoff->hasGivenUp,
        ) === [];
    }

    public function activeWorkers(): int
    {
        return count(array_filter($this->workers, static fn (WorkerSlot $slot): bool => $slot->current !== null));
    }

    /** @return list<WorkerSlot> */
    public function slots(): array
    {
        return $this->supervisor->slots;
    }

    /** @return array<string, int> restarts so far, by reason */
    public function restarts(): array
    {
        return $this->supervisor->restarts;
    }

    public function isWanted(WorkerSlot $slot): bool
    {
        return true;
    }

    /** A flusher also ends when `spool:restart` asks it to, and is needed again. */
    public function isFinal(WorkerSlot $slot, ProcessExit $exit): bool
    {
        return false;
    }

    public function describe(ProcessExit $exit): string
    {
        return $exit->describe();
    }

    private function hasWorkerProcesses(): bool
    {
        return array_filter($this->workers, static fn (WorkerSlot $slot): bool => $slot->processes() !== []) !== [];
    }

    private function drainReplaced(): void
    {
        $killAt = $this->clock->monotonicNanos() + $this->drainNanos;

        foreach ($this->workers as $slot) {
            if ($slot->predecessor !== null && $slot->predecessor->killAt === null) {
                $this->send($slot->predecessor, self::DRAIN, $killAt);
            }

            if ($this->isStopping && $slot->current !== null && $slot->current->killAt === null) {
                $this->send($slot->current, self::DRAIN_LAST, $killAt);
            }
        }
    }

    private function send(WorkerProcess $worker, string $type, int $killAt): void
    {
        $worker->send($type);
        $worker->endBefore($killAt);
    }

    private function queueRecycling(WorkerSlot $slot): void
    {
        $reason = $slot->current?->recycleReason;

        if (
            $reason !== null
            && ! $slot->isBeingReplaced()
            && ! $this->isStopping
            && ! in_array($slot->name, $this->queue, true)
        ) {
            ($this->log)("{$slot->name} is replaced: {$reason}");
            $this->queue[] = $slot->name;
        }
    }

    private function replaceNext(): void
    {
        if (
            $this->isStopping
            || array_filter($this->slots(), static fn (WorkerSlot $slot): bool => $slot->isBeingReplaced()) !== []
        ) {
            return;
        }

        $name = array_shift($this->queue);

        if ($name === null) {
            $this->finishReload();

            return;
        }

        foreach ($this->slots() as $slot) {
            if ($slot->name === $name && $slot->current !== null) {
                $reason = $slot->current->recycleReason ?? 'reload';
                $this->supervisor->countRestart(explode(':', $reason)[0]);
                $slot->current->recycleReason = null;
                $slot->options->sendsHeartbeats ? $this->supervisor->start($slot) : $this->terminateFlusher($slot);
            }
        }
    }

    private function finishReload(): void
    {
        $isTerminated = static fn (WorkerSlot $slot): bool => $slot->current?->killAt !== null;

        if ($this->isReloading && array_filter($this->flushers, $isTerminated) === []) {
            $this->isReloading = false;
            $this->reloadResult = 'done';
            ($this->log)('reload: done');
        }
    }

    private function giveUpReload(string $reason): void
    {
        $this->queue = [];
        $this->reloadResult = $reason;
        $this->isReloading = false;
        ($this->log)("reload: given up. {$reason}");
    }

    /** The successor of a flusher starts after its end, because both would wait for the same bucket. */
    private function terminateFlusher(WorkerSlot $slot): void
    {
        if ($slot->current !== null && $slot->current->killAt === null) {
            $slot->current->terminate(
                SIGTERM,
                $this->clock->monotonicNanos() + self::FLUSHER_SECONDS * self::SECOND,
            );
        }
    }
}
