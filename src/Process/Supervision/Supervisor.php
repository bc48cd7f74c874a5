<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Closure;
use Headroom\Core\Clock;
use Headroom\Process\UnableToStart;

/**
 * Keeps a process in each slot: starts it, restarts it after a pause, lets a successor take over, kills a process that
 * hangs or does not end in its grace period, and reaps. Its owner calls tick() and wait() in a loop, and decides when
 * to replace and to end processes. This class handles no signal: timeouts, exits and restarts are decided in tick().
 *
 * @internal
 */
final class Supervisor
{
    private const START_SECONDS = 30;

    private const HEARTBEAT_SECONDS = 10;

    private const SECOND = 1_000_000_000;

    /** @var array<string, int> restarts so far, by reason */
    public array $restarts = [];

    private bool $isStopping = false;

    /**
     * @param list<WorkerSlot> $slots
     * @param Closure(string): void $log
     */
    public function __construct(
        public readonly array $slots,
        private readonly SlotPolicy $policy,
        private readonly Clock $clock,
        private readonly Closure $log,
    ) {}

    public function tick(): void
    {
        foreach ($this->slots as $slot) {
            $now = $this->clock->monotonicNanos();

            foreach ($slot->processes() as $process) {
                $process->receive($now);
                $process->handle->channel?->flush();
            }

            $this->enforceTimeouts($slot, $now);
            $this->reap($slot, $now);
            $this->promote($slot);

            if (! $this->isStopping && $slot->isVacant($now) && $this->policy->isWanted($slot)) {
                $this->start($slot);
            }
        }
    }

    /** Returns early when a message arrives or a signal comes. */
    public function wait(int $micros): void
    {
        $read = $write = [];

        foreach ($this->processes() as $process) {
            $channel = $process->handle->channel;
            $stream = $channel?->stream();

            if ($channel !== null && is_resource($stream)) {
                $read[] = $stream;
                $write = $channel->isWaitingToSend() ? [...$write, $stream] : $write;
            }
        }

        if ($read === []) {
            $this->clock->sleep($micros);
        } else {
            $except = null;
            // A signal ends the wait with a warning.
            @stream_select($read, $write, $except, intdiv($micros, 1_000_000), $micros % 1_000_000);
        }
    }

    /**
     * Starts a process. A process that sends heartbeats is the successor until it is ready, even in an empty slot.
     * Other processes need an empty slot.
     */
    public function start(WorkerSlot $slot): void
    {
        if ($slot->restartReason !== null) {
            $this->countRestart($slot->restartReason);
            $slot->restartReason = null;
        }

        $slot->starts++;
        $now = $this->clock->monotonicNanos();

        try {
            $process = new WorkerProcess(($slot->start)(), $now);
        } catch (UnableToStart $e) {
            $this->recordFailure($slot, $now, $now, false, rtrim($e->getMessage(), '.'));

            return;
        }

        if ($slot->options->sendsHeartbeats) {
            $slot->successor = $process;
        } else {
            $slot->current = $process;
        }
    }

    public function countRestart(string $reason): void
    {
        $this->restarts[$reason] = ($this->restarts[$reason] ?? 0) + 1;
    }

    /** From now on no process is started. */
    public function stopStarting(): void
    {
        $this->isStopping = true;
    }

    public function kill(string $reason): void
    {
        foreach ($this->slots as $slot) {
            foreach ($slot->processes() as $process) {
                $this->killProcess($slot, $process, $reason);
            }
        }
    }

    public function isEmpty(): bool
    {
        return $this->processes() === [];
    }

    /** @return list<WorkerProcess> */
    public function processes(): array
    {
        return array_merge(...array_map(static fn (WorkerSlot $slot): array => $slot->processes(), $this->slots));
    }

    private function promote(WorkerSlot $slot): void
    {
        if ($slot->successor?->isReady === true) {
            $slot->promote();
        }
    }

    private function enforceTimeouts(WorkerSlot $slot, int $now): void
    {
        foreach ($slot->processes() as $process) {
            $reason = $this->timeout($slot, $process, $now);

            if ($reason !== null) {
                $this->killProcess($slot, $process, $reason);
            }
        }
    }

    private function killProcess(WorkerSlot $slot, WorkerProcess $process, string $reason): void
    {
        if ($process->isKilled) {
            return;
        }

        ($this->log)("{$slot->label} (pid {$process->handle->pid}) was killed: {$reason}");
        $slot->restartReason = $process->killAt === null ? 'watchdog' : $slot->restartReason;
        $process->kill();
    }

    private function timeout(WorkerSlot $slot, WorkerProcess $process, int $now): ?string
    {
        return match (true) {
            $process->killAt !== null && $now > $process->killAt => 'it did not finish in time',
            ! $slot->options->sendsHeartbeats => null,
            ! $process->isReady => $now - $process->startedAt > self::START_SECONDS * self::SECOND
                ? 'it was not ready within '.self::START_SECONDS.' s'
                : null,
            $now - $process->lastMessageAt > self::HEARTBEAT_SECONDS * self::SECOND => 'it sent no heartbeat for '
                .self::HEARTBEAT_SECONDS.' s, probably because its event loop is blocked',
            default => null,
        };
    }

    private function reap(WorkerSlot $slot, int $now): void
    {
        if ($slot->predecessor?->exit() !== null) {
            $slot->predecessor = null;
        }

        if ($slot->current === null && $slot->successor?->exit() !== null) {
            // The successor became ready and ended between two ticks: count it as started, not as a failed start.
            $slot->successor->receive($now);
            $this->promote($slot);
        }

        $process = $slot->successor;
        $exit = $process?->exit();

        if ($process !== null && $exit !== null) {
            $slot->successor = null;
            $label = $slot->current === null ? $slot->label : "the successor of {$slot->label}";
            $event = "{$label} {$this->policy->describe($exit)} before it was ready";
            $this->recordFailure($slot, $now, $process->startedAt, false, $event);
        }

        $process = $slot->current;
        $exit = $process?->exit();

        if ($process !== null && $exit !== null) {
            $slot->current = null;
            $process->receive($now);
            $this->recordExit($slot, $process, $exit, $now);
        }
    }

    private function recordExit(WorkerSlot $slot, WorkerProcess $process, ProcessExit $exit, int $now): void
    {
        if ($process->killAt !== null || $this->isStopping) {
            return;
        }

        if ($this->policy->isFinal($slot, $exit)) {
            $slot->isFinished = true;

            return;
        }

        $proven = $slot->options->provenSeconds;
        $hasWorked = $slot->options->sendsHeartbeats
            || ($proven !== null && $now - $process->startedAt >= $proven * self::SECOND);
        $event = "{$slot->label} {$this->policy->describe($exit)}";
        $this->recordFailure($slot, $now, $process->startedAt, $hasWorked, $event);
    }

    private function recordFailure(WorkerSlot $slot, int $now, int $startedAt, bool $hasWorked, string $event): void
    {
        if ($slot->current !== null) {
            $slot->replacementFailure = $event;

            return;
        }

        if ($this->isStopping) {
            return;
        }

        $slot->restartReason ??= 'crash';
        $pause = $slot->backoff->failed($now, $startedAt, $hasWorked);
        ($this->log)(match ($pause) {
            null => "{$event}. It ended {$slot->backoff->failures} times in a row and is not started again before a"
                .' reload',
            0 => "{$event}; restarting now",
            default => "{$event}; restarting in {$pause} s",
        });
    }
}
