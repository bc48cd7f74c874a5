<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Headroom\Bench\Queues\Results\ProbeResult;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Core\Clock;

/**
 * How fast the machine is at this moment, apart from everything that is measured: a fixed piece of work for one CPU,
 * and how long the disk takes to keep 4 kB. A virtual machine whose credit is used up shows here,
 * and so does a neighbour.
 *
 * @internal
 */
final readonly class MachineProbe implements Probe
{
    /** Of which the best counts: what lasts for milliseconds is not what is looked for. */
    private const TRIES = 5;

    private const HASHES = 60;

    private const SYNCS = 15;

    private const BLOCK = 4_096;

    /** @param string $file that it may write, on the disk that is meant */
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
