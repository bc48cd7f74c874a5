<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Kernel;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;

use function array_map;
use function array_sum;
use function explode;
use function preg_match;
use function trim;

/**
 * How busy the CPUs of the machine were for a moment. In a container these are the host's.
 *
 * @internal
 */
final readonly class CpuWindow
{
    private const PATH = '/proc/stat';

    private const MICROS = 400_000;

    /**
     * @param float $idle share of all CPU time, waiting for a disk counted in
     * @param float $stolen share that the host gave to others
     */
    private function __construct(public float $idle, public float $stolen, public string $source) {}

    /** @throws UnableToTell */
    public static function look(KernelFiles $files = new KernelFiles, Clock $clock = new SystemClock): self
    {
        $before = self::ticks($files);
        $clock->sleep(self::MICROS);
        $after = self::ticks($files);
        $rise = array_map(static fn (int $a, int $b): int => max(0, $b - $a), $before, $after);
        $all = max(1, array_sum($rise));

        // user nice system idle iowait irq softirq steal: proc_stat(5)
        return new self(($rise[3] + $rise[4]) / $all, $rise[7] / $all, self::PATH.', over 0.4 s');
    }

    /** @return array{int, int, int, int, int, int, int, int} */
    private static function ticks(KernelFiles $files): array
    {
        if (preg_match('/^cpu +((?:\d+ +){7,9}\d+)$/m', $files->read(self::PATH), $m) !== 1) {
            throw UnableToTell::noField(self::PATH, 'line of all CPUs');
        }

        $ticks = array_map(intval(...), explode(' ', trim($m[1])));

        return [$ticks[0], $ticks[1] ?? 0, $ticks[2] ?? 0, $ticks[3] ?? 0, $ticks[4] ?? 0, $ticks[5] ?? 0, $ticks[6] ?? 0, $ticks[7] ?? 0];
    }
}
