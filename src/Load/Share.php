<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * What one of several processes does of a plan. Whatever is numbered is dealt out in turn,
 * so the shares add up to the whole.
 *
 * @internal
 */
final readonly class Share
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

    /** How many of so many are its own. */
    public function count(int $whole): int
    {
        return intdiv($whole + $this->processes - 1 - $this->index, $this->processes);
    }

    /** The number, among all, of what it does as its own n-th, from 0. */
    public function number(int $own): int
    {
        return $this->index + $own * $this->processes;
    }
}
