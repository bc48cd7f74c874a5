<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Headroom\Bench\Queues\Results\ProbeResult;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Core\Clock;

/**
 * The speed of the machine at this moment, apart from the benchmark: a fixed piece of work for one CPU, and the time
 * to sync 4 kB to the disk. It shows a virtual machine that has used up its credit, and a busy neighbour.
 *
 * @internal
 */
final readonly class MachineProbe implements Probe
{
    /** The best of several counts, because a disturbance of milliseconds does not matter. */
    private const TRIES = 5;

    private const HASHES = 60;

    private const SYNCS = 15;

    private const BLOCK = 4_096;

    /** @param string $file that the probe may write, on the disk under test */
    public function __construct(private string $file, private Clock $clock) {}

    public function take(): ProbeResult
    {
        return new ProbeResult($this->cpuMicros(), $this->syncMicros());
    }

    private function cpuMicros(): float
    {
        $best = INF;
        $block = str_repeat('headroom', 8_192);

        for ($try = 0; $try < self::TRIES; $try++) {
            $from = $this->clock->monotonicNanos();

            for ($i = 0; $i < self::HASHES; $i++) {
                $block = hash('sha256', $block, true).substr($block, 32);
            }

            $best = min($best, ($this->clock->monotonicNanos() - $from) / 1_000);
        }

        return $best;
    }

    private function syncMicros(): float
    {
        $handle = @fopen($this->file, 'w');

        if ($handle === false) {
            throw UnableToBench::file($this->file);
        }

        $micros = [];

        for ($i = 0; $i < self::SYNCS; $i++) {
            $from = $this->clock->monotonicNanos();
            fwrite($handle, str_repeat("\0", self::BLOCK));
            fdatasync($handle);
            $micros[] = ($this->clock->monotonicNanos() - $from) / 1_000;
        }

        fclose($handle);
        sort($micros);

        return $micros[intdiv(self::SYNCS, 2)];
    }
}
