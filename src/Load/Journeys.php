<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * How often a scenario was gone through.
 */
final class Journeys
{
    public int $begun = 0;

    /** Each of its steps succeeded. */
    public int $completed = 0;

    /** Ended at a step that did not succeed. */
    public int $failed = 0;

    /** The most at once, those who think included. */
    public int $underWay = 0;

    /** @param list<StepTally> $steps in their order */
    public function __construct(public readonly array $steps) {}

    /** @internal */
    public function absorb(self $other): void
    {
        $this->begun += $other->begun;
        $this->completed += $other->completed;
        $this->failed += $other->failed;
        // The most of each did not have to be at the same moment: the sum is the most that there can have been.
        $this->underWay += $other->underWay;

        foreach ($this->steps as $i => $step) {
            $step->absorb($other->steps[$i]);
        }
    }

    /** @return array<string, mixed> see docs/load.md */
    public function toArray(): array
    {
        return [
            'begun' => $this->begun,
            'completed' => $this->completed,
            'failed' => $this->failed,
            'unfinished' => $this->begun - $this->completed - $this->failed,
            'steps' => array_map(static fn (StepTally $step): array => $step->toArray(), $this->steps),
        ];
    }
}
