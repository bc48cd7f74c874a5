<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Process\Supervision\Channel;

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
     * @param ?Channel $supervisor the worker ends when it is closed, because the supervisor has ended
     */
    public function __construct(
        public int $sleep,
        public int $memory,
        public bool $untilDrained = false,
        public ?int $seconds = null,
        public ?Channel $supervisor = null,
    ) {}

    /** Options for a worker process of a supervisor, which keeps track of the time itself. */
    public function below(Channel $supervisor): self
    {
        return new self($this->sleep, $this->memory, $this->untilDrained, null, $supervisor);
    }
}
