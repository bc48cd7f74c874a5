<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * A requested class that is not in the list.
 *
 * @internal
 */
final readonly class DroppedClass
{
    /**
     * @param string $file relative to the root
     * @param string $detail what was seen, as a sentence without a full stop
     */
    public function __construct(
        public string $class,
        public string $file,
        public DropReason $reason,
        public string $detail,
    ) {}

    /** The same for a class that needs this one. */
    public function forDescendant(string $class, string $file): self
    {
        return $this->reason === DropReason::DroppedAncestor
            ? new self($class, $file, $this->reason, $this->detail)
            : new self($class, $file, DropReason::DroppedAncestor, "it needs {$this->class}: {$this->detail}");
    }
}
