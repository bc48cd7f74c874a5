<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * How far a run is.
 */
final readonly class Progress
{
    /**
     * @param float $seconds since it began
     * @param int $errors of all that ended
     * @param float $perSecond how many have ended in each of the last seconds, however
     * @param ?int $p95 microseconds, of what was answered or timed out in the last seconds; null when nothing was
     * @param ?Histogram $recent what it is taken from
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
     * Of a process that has ended, while others go on: what it did counts, and there comes no more of it.
     *
     * @internal
     */
    public function over(): self
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
     * Of processes that do one run together.
     *
     * @internal
     *
     * @param non-empty-list<self> $parts
     */
    public static function together(array $parts): self
    {
        $recent = Histogram::coarse();

        foreach ($parts as $part) {
            $part->recent === null ? null : $recent->absorb($part->recent);
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
