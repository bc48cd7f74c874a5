<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\Counters;
use Headroom\Doctor\Kernel\Process\ControlGroup;

/**
 * The kernel's counters for the pool: overflowed queues and throttled periods.
 *
 * @internal
 *
 * @implements Sampler<KernelSnapshot>
 */
final class KernelSampler implements Sampler
{
    private bool $isLooked = false;

    private ?string $throttled = null;

    public function __construct(private readonly int $master) {}

    public function subject(): string
    {
        return 'the counters of the kernel';
    }

    public function read(): KernelSnapshot
    {
        $quota = $this->quota();

        return new KernelSnapshot(
            Counters::ofTcp((string) $this->master)->find('ListenOverflows'),
            $quota?->find('nr_periods'),
            $quota?->find('nr_throttled'),
        );
    }

    private function quota(): ?Counters
    {
        if (! $this->isLooked) {
            $this->isLooked = true;

            try {
                $this->throttled = ControlGroup::of($this->master)->throttled;
            } catch (FactUnavailable) {
                // Without a visible control group there are no counters.
            }
        }

        return $this->throttled === null ? null : Counters::ofFile($this->throttled);
    }
}
