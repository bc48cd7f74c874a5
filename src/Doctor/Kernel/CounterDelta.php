<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;

/**
 * Counters of one file at two moments.
 *
 * @internal
 */
final readonly class CounterDelta
{
    public function __construct(private Counters $before, private Counters $after) {}

    public function has(string $name): bool
    {
        return $this->before->find($name) !== null && $this->after->find($name) !== null;
    }

    /** @throws FactUnavailable */
    public function by(string $name): int
    {
        return $this->after->rise($name, $this->before);
    }

    /** @throws FactUnavailable */
    public function perSecond(string $name): float
    {
        return $this->by($name) / max(0.001, $this->seconds());
    }

    /**
     * The value since the counter began, mostly at the start of the machine.
     *
     * @throws FactUnavailable
     */
    public function total(string $name): int
    {
        return $this->after->get($name);
    }

    public function seconds(): float
    {
        return $this->after->secondsSince($this->before);
    }

    /** @throws FactUnavailable */
    public function evidence(string $name): Evidence
    {
        return new Evidence(
            $name,
            sprintf(
                '+%d in %.1f s, %d since it began to count',
                $this->by($name),
                $this->seconds(),
                $this->total($name),
            ),
            $this->after->source,
        );
    }
}
