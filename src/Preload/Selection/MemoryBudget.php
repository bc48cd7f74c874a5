<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

/**
 * The shared memory that a list may use.
 *
 * @internal
 */
final class MemoryBudget
{
    private int $left;

    /**
     * @param array<string, int> $sizes bytes that opcache needs for a file
     * @param float $factor size of a whole list, as measured, relative to the sum of its files
     */
    public function __construct(
        private readonly int $bytes,
        private readonly array $sizes,
        private readonly float $factor = 1.0,
    ) {
        $this->left = $bytes;
    }

    /** @param list<string> $files */
    public function allows(array $files): bool
    {
        return $this->sizeOf($files) <= $this->left;
    }

    /** @param list<string> $files */
    public function take(array $files): void
    {
        $this->left -= $this->sizeOf($files);
    }

    /** @param list<string> $files */
    public function objection(array $files): string
    {
        return sprintf(
            '%2$.1f MB of the %1$d MB of `budget_mb` are left, and it needs %3$.0f kB',
            intdiv($this->bytes, 1_048_576),
            $this->left / 1_048_576,
            $this->sizeOf($files) / 1024,
        );
    }

    /** @param list<string> $files */
    private function sizeOf(array $files): int
    {
        return (int) ($this->factor * array_sum(array_map(fn (string $file): int => $this->sizes[$file] ?? 0, $files)));
    }
}
