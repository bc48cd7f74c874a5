<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * The work of the workers.
 *
 * @internal
 */
final readonly class Workload
{
    /**
     * @param int<1, max> $jobs at least
     * @param float $seconds of a run, about; fast workers get more jobs
     * @param int<1, max> $workers
     * @param ?int $counted the rate is that of the first $counted jobs, and the run ends with them; null for all
     * @param int<0, max> $payloadBytes added to each job
     * @param int<0, max> $millis duration of each job
     * @param ?float $arrivals jobs per second that are pushed while workers wait; null if all are queued before
     *     workers start
     * @param ?int $retryAfter seconds until a job is given to another worker; null for the connection's own
     * @param int<0, max> $tries of queue:work
     * @param float $sleep of queue:work: seconds between two looks of an idle worker
     * @param bool $isQuiet whether queue:work prints nothing for each job
     */
    public function __construct(
        public int $jobs,
        public float $seconds,
        public int $workers,
        public ?int $counted = null,
        public int $payloadBytes = 0,
        public int $millis = 0,
        public ?float $arrivals = null,
        public ?int $retryAfter = null,
        public int $tries = 1,
        public float $sleep = 3,
        public bool $isQuiet = false,
    ) {}

    /** @param int<1, max> $jobs */
    public function with(int $jobs, ?float $seconds = null): self
    {
        return new self(
            $jobs,
            $seconds ?? $this->seconds,
            $this->workers,
            $this->counted,
            $this->payloadBytes,
            $this->millis,
            $this->arrivals,
            $this->retryAfter,
            $this->tries,
            $this->sleep,
            $this->isQuiet,
        );
    }

    /** @param int<1, max> $workers */
    public function by(int $workers): self
    {
        return new self(
            $this->jobs,
            $this->seconds,
            $workers,
            $this->counted,
            $this->payloadBytes,
            $this->millis,
            $this->arrivals,
            $this->retryAfter,
            $this->tries,
            $this->sleep,
            $this->isQuiet,
        );
    }

    public function quiet(): self
    {
        return new self(
            $this->jobs,
            $this->seconds,
            $this->workers,
            $this->counted,
            $this->payloadBytes,
            $this->millis,
            $this->arrivals,
            $this->retryAfter,
            $this->tries,
            $this->sleep,
            true,
        );
    }

    /** Whether more jobs make the run longer and change nothing else. */
    public function isScalable(): bool
    {
        return $this->counted === null && $this->millis === 0 && $this->arrivals === null;
    }

    /** Seconds after which an unfinished job has come again and has run once more. */
    public function settling(): float
    {
        return $this->retryAfter === null ? 0.25 : $this->retryAfter + $this->millis / 1_000 + $this->sleep + 1.0;
    }

    /** @return array<string, int|float|bool|null> */
    public function toArray(): array
    {
        return [
            'workers' => $this->workers,
            'counted' => $this->counted,
            'payload_bytes' => $this->payloadBytes,
            'job_ms' => $this->millis,
            'arrivals_per_s' => $this->arrivals,
            'retry_after_s' => $this->retryAfter,
            'tries' => $this->tries,
            'sleep_s' => $this->sleep,
            'quiet' => $this->isQuiet,
        ];
    }
}
