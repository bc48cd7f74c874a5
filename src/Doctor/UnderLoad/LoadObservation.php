<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Closure;
use Headroom\Core\Clock;
use Headroom\Doctor\UnderLoad\Samplers\AllSamplers;
use Headroom\Doctor\UnderLoad\Samplers\Snapshot;

/**
 * Samples before the load and while it runs. The load ends on every path out of here.
 *
 * @internal
 */
final class LoadObservation
{
    private const EVERY_NANOS = 250_000_000;

    /** The most samples that are kept. With 200 processes they take 70 MB. */
    private const MAX_SAMPLES = 1_440;

    private const BEFORE_NANOS = 1_500_000_000;

    private bool $isStopped = false;

    public function __construct(private readonly AllSamplers $sampler, private readonly Clock $clock) {}

    /** Called by a signal handler. The samples until then are evaluated. */
    public function stop(): void
    {
        $this->isStopped = true;
    }

    /**
     * @param Closure(): RunningLoad $start
     * @param float $seconds after which the load is ended
     * @return array{list<Snapshot>, list<Snapshot>, ?LoadTraffic} samples before and during the load, and its result
     */
    public function underLoad(Closure $start, float $seconds): array
    {
        $before = $this->samples(self::BEFORE_NANOS, static fn (): bool => true);

        if ($this->isStopped) {
            return [$before, [], null];
        }

        $load = $start();

        try {
            $during = $this->samples((int) ($seconds * 1e9), $load->isRunning(...));
        } finally {
            $load->stop();
        }

        return [$before, $during, $load->traffic()];
    }

    /** @return list<Snapshot> */
    public function atRealTraffic(float $seconds): array
    {
        return $this->samples((int) ($seconds * 1e9), static fn (): bool => true);
    }

    /**
     * @param Closure(): bool $continues
     * @return list<Snapshot>
     */
    private function samples(int $nanos, Closure $continues): array
    {
        $samples = [];
        $next = $this->clock->monotonicNanos();
        $until = $next + $nanos;
        $every = max(self::EVERY_NANOS, intdiv($nanos, self::MAX_SAMPLES));

        while (! $this->isStopped && $this->clock->monotonicNanos() < $until && $continues()) {
            $samples[] = $this->sampler->sample();
            // After a slow sample, the next one follows at the usual distance.
            $next = max($next + $every, $this->clock->monotonicNanos());
            $this->clock->sleep((int) (max(0, $next - $this->clock->monotonicNanos()) / 1_000));
        }

        return $samples;
    }
}
