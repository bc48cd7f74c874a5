<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

/**
 * The limits after which a worker process ends.
 *
 * @internal
 */
final readonly class WorkerOptions
{
    /**
     * @param int<0, max> $sleep microseconds between two rounds
     * @param int<1, max> $memory bytes
     * @param ?int<1, max> $seconds
     * @param ?int $parent pid of the supervisor; the worker ends when that process is gone
     */
    public function __construct(
        public int $sleep,
        public int $memory,
        public bool $untilDrained = false,
        public ?int $seconds = null,
        public ?int $parent = null,
    ) {}

    /** Options for a worker process of a supervisor, which keeps track of the time itself. */
    public function below(int $parent): self
    {
        return new self($this->sleep, $this->memory, $this->untilDrained, null, $parent);
    }
}
