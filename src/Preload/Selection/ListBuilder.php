<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\DroppedClass;

/**
 * Builds lists of the requested classes within the budget.
 *
 * @internal
 */
final class ListBuilder
{
    private float $factor = 1.0;

    /** @param array<string, int> $sizes bytes that opcache needs for a file */
    public function __construct(
        private readonly Selector $selector,
        private readonly RequestedClasses $requested,
        private readonly int $budgetBytes,
        private readonly array $sizes,
    ) {}

    /** @param array<string, DroppedClass> $excluded by file */
    public function build(array $excluded): Selection
    {
        $selection = $this->selector->select(
            $this->requested,
            $excluded,
            new MemoryBudget($this->budgetBytes, $this->sizes, $this->factor),
        );

        return new Selection($selection->files, $selection->classes, $selection->dropped, $this->sum($selection));
    }

    /**
     * A list needs somewhat more memory than the sum of its files. If a list exceeds the budget,
     * later lists are shorter.
     *
     * @param int $bytes memory of the list, as PHP reports it
     * @return bool whether the list exceeds the budget
     */
    public function shrinkToBudget(Selection $selection, int $bytes): bool
    {
        if ($bytes <= $this->budgetBytes) {
            return false;
        }

        $sum = $this->sum($selection);
        // At least one percent less each time, so that this ends.
        $this->factor = max($this->factor * 1.01, $bytes / max(1, $sum) * 1.01);

        return true;
    }

    private function sum(Selection $selection): int
    {
        return array_sum(array_intersect_key($this->sizes, array_fill_keys($selection->files, true)));
    }
}
