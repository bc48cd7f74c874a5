<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * The part of a plan that one of several processes executes. Requests, iterations and virtual users are dealt out in
 * turn, so the segments add up to the whole.
 *
 * @internal
 */
final readonly class ExecutionSegment
{
    private function __construct(public int $index, public int $processes) {}

    public static function whole(): self
    {
        return new self(0, 1);
    }

    /** @param int $index from 0 */
    public static function of(int $index, int $processes): self
    {
        return new self($index, $processes);
    }

    /** The number of items in the segment. */
    public function count(int $whole): int
    {
        return intdiv($whole + $this->processes - 1 - $this->index, $this->processes);
    }

    /**
     * The number of an item among the items of all processes.
     *
     * @param int $own its number in the segment, from 0
     */
    public function number(int $own): int
    {
        return $this->index + $own * $this->processes;
    }
}
