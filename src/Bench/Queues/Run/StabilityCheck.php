<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Closure;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\ProbeResult;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Bench\Samples;
use Headroom\Core\Clock;

/**
 * Whether the machine is as fast as before. A run on a throttled or busy machine says nothing about the queue.
 *
 * @internal
 */
final class StabilityCheck
{
    private const SLOWER_CPU = 1.3;

    /** Disks vary more than CPUs. */
    private const SLOWER_DISK = 4.0;

    private const STOLEN = 0.1;

    /** The most tries to find a calm moment before a run. */
    private const PATIENCE = 15;

    private const PAUSE_MICROS = 1_000_000;

    /** @var list<ProbeResult> of earlier runs */
    private array $probes = [];

    public function __construct(private readonly Clock $clock) {}

    /**
     * Before a run: returns when the machine is as fast as before, or after some tries. Slow tries do not change the
     * reference.
     * @throws UnableToBench
     */
    public function calm(Probe $probe, Durability $durability): ProbeResult
    {
        for ($try = 1; ; $try++) {
            $probed = $probe->take();

            if ($try === self::PATIENCE || $this->slower($probed, $durability, '') === null) {
                return $probed;
            }

            $this->clock->sleep(self::PAUSE_MICROS);
        }
    }

    /**
     * Call it once after a run: its probes become a part of the reference.
     * @param array{busy: float, stolen: float} $cpu of the run
     */
    public function fault(ProbeResult $before, ProbeResult $after, array $cpu, Durability $durability): ?Fault
    {
        $this->probes = $this->probes === [] ? [$before] : $this->probes;
        $fault = $this->slower($before, $durability, 'before')
            ?? $this->slower($after, $durability, 'after')
            ?? ($cpu['stolen'] > self::STOLEN
                ? Fault::throttled(sprintf(
                    '%.0f %% of its CPU time went to other virtual machines',
                    100 * $cpu['stolen'],
                ))
                : null);
        array_push($this->probes, $before, $after);

        return $fault;
    }

    private function slower(ProbeResult $probed, Durability $durability, string $when): ?Fault
    {
        if ($this->probes === []) {
            return null;
        }

        $cpu = $this->usual(static fn (ProbeResult $probed): float => $probed->cpuMicros);
        $disk = $this->usual(static fn (ProbeResult $probed): float => $probed->syncMicros);

        return match (true) {
            $probed->cpuMicros > self::SLOWER_CPU * $cpu => Fault::throttled(sprintf(
                'a fixed piece of work took %.1f ms %s the run, and usually %.1f ms',
                $probed->cpuMicros / 1_000,
                $when,
                $cpu / 1_000,
            )),
            // A slow disk does not slow down a driver that keeps nothing on it.
            $durability === Durability::EachJob
                && $probed->syncMicros > self::SLOWER_DISK * $disk => Fault::throttled(sprintf(
                    'fdatasync took %.2f ms %s the run, and usually %.2f ms',
                    $probed->syncMicros / 1_000,
                    $when,
                    $disk / 1_000,
                )),
            default => null,
        };
    }

    /** @param Closure(ProbeResult): float $figure */
    private function usual(Closure $figure): float
    {
        return (new Samples(array_map($figure, $this->probes)))->median();
    }
}
