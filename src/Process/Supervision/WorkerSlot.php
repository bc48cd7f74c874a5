<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Closure;

/**
 * A place for one worker. While the worker is replaced, its successor or its predecessor runs, too.
 *
 * @internal
 */
final class WorkerSlot
{
    public ?WorkerProcess $current = null;

    /** Started and not ready yet. */
    public ?WorkerProcess $successor = null;

    /** Replaced and finishing its work. */
    public ?WorkerProcess $predecessor = null;

    /** Whether the work is done, so that the slot stays empty. */
    public bool $isFinished = false;

    /** Attempts to start a process, with those that failed. */
    public int $starts = 0;

    /** Why the next process is started, for the metrics; null for the first one. */
    public ?string $restartReason = null;

    /** Why the last successor did not take over, until the supervisor's owner has read and cleared it. */
    public ?string $replacementFailure = null;

    public readonly Backoff $backoff;

    public readonly string $label;

    /**
     * @param Closure(): ProcessHandle $start throws UnableToStart
     * @param ?string $label name in messages
     */
    public function __construct(
        public readonly string $name,
        public readonly Closure $start,
        public readonly SlotOptions $options = new SlotOptions,
        ?string $label = null,
    ) {
        $this->label = $label ?? $name;
        $this->backoff = $options->backoff();
    }

    /** @return list<WorkerProcess> */
    public function processes(): array
    {
        return array_values(array_filter(
            [$this->current, $this->successor, $this->predecessor],
            static fn (?WorkerProcess $process): bool => $process !== null,
        ));
    }

    public function isVacant(int $now): bool
    {
        return $this->current === null && $this->successor === null && ! $this->isFinished
            && $this->backoff->isDue($now);
    }

    public function isBeingReplaced(): bool
    {
        return $this->predecessor !== null || $this->successor !== null;
    }

    public function promote(): void
    {
        $this->predecessor = $this->current;
        $this->current = $this->successor;
        $this->successor = null;
    }
}
