<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\DroppedClass;

/**
 * The files of a list, each after the files that it needs, and the requested classes that are not in it.
 *
 * @internal
 */
final readonly class Selection
{
    /**
     * @param list<string> $files relative to the root
     * @param array<string, list<string>> $classes by file
     * @param list<DroppedClass> $dropped
     * @param int $bytes sum of the sizes of the files; 0 if they were not measured
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

    /** The first files. They need none of the others. */
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
