<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

/**
 * The state of a run that has not ended.
 */
final readonly class Progress
{
    /**
     * @param float $seconds since the start of the run
     * @param int $errors since the start of the run
     * @param float $perSecond requests that ended per second, successful or not, in the last seconds
     * @param ?int $p95 microseconds, of responses and timeouts in the last seconds; null if there was none
     * @param ?Histogram $recent the source of the p95
     */
    public function __construct(
        public float $seconds,
        public int $sent,
        public int $succeeded,
        public int $errors,
        public int $inFlight,
        public float $perSecond,
        public ?int $p95,
        private ?Histogram $recent = null,
    ) {}

    /** @internal */
    public function recent(): ?Histogram
    {
        return $this->recent;
    }

    /**
     * The last progress of a process that has ended while others continue.
     *
     * @internal
     */
    public function ended(): self
    {
        return new self(
            $this->seconds,
            $this->succeeded + $this->errors,
            $this->succeeded,
            $this->errors,
            0,
            0.0,
            null,
        );
    }

    /**
     * Adds up the processes of one run.
     *
     * @internal
     *
     * @param non-empty-list<self> $parts
     */
    public static function sum(array $parts): self
    {
        $recent = Histogram::coarse();

        foreach ($parts as $part) {
            $part->recent === null ? null : $recent->merge($part->recent);
        }

        return new self(
            max(array_column($parts, 'seconds')),
            array_sum(array_column($parts, 'sent')),
            array_sum(array_column($parts, 'succeeded')),
            array_sum(array_column($parts, 'errors')),
            array_sum(array_column($parts, 'inFlight')),
            array_sum(array_column($parts, 'perSecond')),
            $recent->percentile(95),
            $recent,
        );
    }
}
