<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * A class that was wanted and is not in the list.
 *
 * @internal
 */
final readonly class Dropped
{
    /**
     * @param string $file relative to the root
     * @param string $detail a sentence without its end: what was seen
     */
    public function __construct(
        public string $class,
        public string $file,
        public Reason $reason,
        public string $detail,
    ) {}

    /** A descendant of it falls with it. */
    public function inherited(string $class, string $file): self
    {
        return $this->reason === Reason::DroppedAncestor
            ? new self($class, $file, $this->reason, $this->detail)
            : new self($class, $file, Reason::DroppedAncestor, "it needs {$this->class}: {$this->detail}");
    }
}
