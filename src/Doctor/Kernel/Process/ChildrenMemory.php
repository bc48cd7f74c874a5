<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Process;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;

/**
 * The memory of the children of a pool.
 *
 * @internal
 */
final readonly class ChildrenMemory
{
    /**
     * @param list<ProcessMemory> $measured
     * @param list<FactUnavailable> $failures one for each unread child; an ended child no longer belongs to the pool
     */
    private function __construct(public array $measured, public array $failures) {}

    /** @param list<int> $pids */
    public static function of(array $pids, KernelFiles $files = new KernelFiles): self
    {
        $measured = [];
        $failures = [];

        foreach ($pids as $pid) {
            try {
                $measured[] = ProcessMemory::of($pid, $files);
            } catch (FactUnavailable $e) {
                $failures[] = $e;
            }
        }

        return new self($measured, $failures);
    }

    /** Null if no child was measured. */
    public function meanPssBytes(): ?int
    {
        return $this->measured === [] ? null : intdiv($this->sumPssBytes(), count($this->measured));
    }

    public function largestPssBytes(): ?int
    {
        return $this->measured === [] ? null : max(array_column($this->measured, 'pssBytes'));
    }

    public function sumPssBytes(): int
    {
        return array_sum(array_column($this->measured, 'pssBytes'));
    }
}
