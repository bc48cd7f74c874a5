<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\Dropped;

/**
 * What is taken, each file behind all that it needs, and what is not.
 *
 * @internal
 */
final readonly class Selection
{
    /**
     * @param list<string> $files relative to the root
     * @param array<string, list<string>> $classes that a file declares
     * @param list<Dropped> $dropped of what was wanted
     * @param int $bytes that its files need by themselves; 0 where they were not weighed
     */
    public function __construct(
        public array $files,
        public array $classes,
        public array $dropped,
        public int $bytes = 0,
    ) {}

    /** @return list<string> */
    public function classNames(): array
    {
        return array_merge(...array_values($this->classes));
    }

    /** The first so many files, which need nothing behind them. */
    public function head(int $files): self
    {
        $head = array_slice($this->files, 0, $files);

        return new self(
            $head,
            array_intersect_key($this->classes, array_fill_keys($head, true)),
            $this->dropped,
            $this->bytes,
        );
    }
}
