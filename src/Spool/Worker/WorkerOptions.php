<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

/**
 * When a process of a worker ends by itself.
 *
 * @internal
 */
final readonly class WorkerOptions
{
    /**
     * @param int<0, max> $sleep microseconds between two rounds
     * @param int<1, max> $memory bytes
     * @param ?int<1, max> $seconds
     * @param ?int $parent process that supervises it; without that one it ends
     */
    public function __construct(
        public int $sleep,
        public int $memory,
        public bool $untilDrained = false,
        public ?int $seconds = null,
        public ?int $parent = null,
    ) {}

    /** For a process below the one that keeps the time. */
    public function below(int $parent): self
    {
        return new self($this->sleep, $this->memory, $this->untilDrained, null, $parent);
    }
}
