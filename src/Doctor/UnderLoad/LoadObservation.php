<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Closure;
use Headroom\Core\Clock;
use Headroom\Doctor\UnderLoad\Samplers\AllSamplers;
use Headroom\Doctor\UnderLoad\Samplers\Snapshot;

/**
 * Looks before the load and while it runs. Every way out ends the load.
 *
 * @internal
 */
final class LoadObservation
{
    private const EVERY_NANOS = 250_000_000;

    /** What each process waits for is kept of each: of 200 processes these take 70 MB. */
    private const MOST = 1_440;

    private const BEFORE_NANOS = 1_500_000_000;

    private bool $isStopped = false;

    public function __construct(private readonly AllSamplers $sampler, private readonly Clock $clock) {}

    /** From a signal: what was seen until then is judged. */
    public function stop(): void
    {
        $this->isStopped = true;
    }

    /**
     * @param Closure(): Load $start
     * @param float $seconds after which it is ended in any case
     * @return array{list<Snapshot>, list<Snapshot>, ?LoadTraffic} before it, during it, and what it saw
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
        $every = max(self::EVERY_NANOS, intdiv($nanos, self::MOST));

        while (! $this->isStopped && $this->clock->monotonicNanos() < $until && $continues()) {
            $samples[] = $this->sampler->sample();
            // A look that took long is not made up for by several at once.
            $next = max($next + $every, $this->clock->monotonicNanos());
            $this->clock->sleep((int) (max(0, $next - $this->clock->monotonicNanos()) / 1_000));
        }

        return $samples;
    }
}
