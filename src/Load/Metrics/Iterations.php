<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

/**
 * The iterations of a scenario and the requests of its steps.
 */
final class Iterations
{
    public int $begun = 0;

    /** Iterations in which each step succeeded. */
    public int $completed = 0;

    /** Iterations that ended at a step that did not succeed. */
    public int $failed = 0;

    /** The most virtual users in an iteration at once, including those in a think time. */
    public int $mostActive = 0;

    /** @param list<StepMetrics> $steps in their order */
    public function __construct(public readonly array $steps) {}

    /** @internal */
    public function began(int $active): void
    {
        $this->begun++;
        $this->mostActive = max($this->mostActive, $active);
    }

    /** @internal */
    public function sent(int $step): void
    {
        $metrics = $this->steps[$step];
        $metrics->sent++;
    }

    /**
     * @internal
     *
     * @param ?string $error its kind; null if the step succeeded
     * @param ?int $micros response time; null if there was neither a response nor a timeout
     */
    public function finished(int $step, ?string $error, ?int $micros): void
    {
        $this->steps[$step]->finished($error, $micros);

        if ($error !== null) {
            $this->failed++;
        } elseif ($step === count($this->steps) - 1) {
            $this->completed++;
        }
    }

    /** @internal */
    public function merge(self $other): void
    {
        $this->begun += $other->begun;
        $this->completed += $other->completed;
        $this->failed += $other->failed;
        // The maxima of two processes may be at different moments: the sum is an upper bound.
        $this->mostActive += $other->mostActive;

        foreach ($this->steps as $i => $step) {
            $step->merge($other->steps[$i]);
        }
    }

    public function unfinished(): int
    {
        return $this->begun - $this->completed - $this->failed;
    }

    /** @return array<string, mixed> see docs/load.md */
    public function toArray(): array
    {
        return [
            'begun' => $this->begun,
            'completed' => $this->completed,
            'failed' => $this->failed,
            'unfinished' => $this->unfinished(),
            'steps' => array_map(static fn (StepMetrics $step): array => $step->toArray(), $this->steps),
        ];
    }
}
