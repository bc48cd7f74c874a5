<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\Dropped;

/**
 * The lists that can be made of what is wanted, within the budget.
 *
 * @internal
 */
final class ListBuilder
{
    private float $factor = 1.0;

    /** @param array<string, int> $sizes bytes that opcache needs for a file */
    public function __construct(
        private readonly Selector $selector,
        private readonly RequestedClasses $wanted,
        private readonly int $budgetBytes,
        private readonly array $sizes,
    ) {}

    /** @param array<string, Dropped> $banned by file */
    public function select(array $banned): Selection
    {
        $selection = $this->selector->select(
            $this->wanted,
            $banned,
            new Budget($this->budgetBytes, $this->sizes, $this->factor),
        );

        return new Selection($selection->files, $selection->classes, $selection->dropped, $this->sum($selection));
    }

    /**
     * A list together takes somewhat more than its files by themselves.
     *
     * @param int $bytes that PHP said it takes
     * @return bool whether that was too much, so that lists are shorter from now on
     */
    public function weigh(Selection $selection, int $bytes): bool
    {
        if ($bytes <= $this->budgetBytes) {
            return false;
        }

        $sum = $this->sum($selection);
        // One percent less each time, so that it comes to an end.
        $this->factor = max($this->factor * 1.01, $bytes / max(1, $sum) * 1.01);

        return true;
    }

    private function sum(Selection $selection): int
    {
        return array_sum(array_intersect_key($this->sizes, array_fill_keys($selection->files, true)));
    }
}
