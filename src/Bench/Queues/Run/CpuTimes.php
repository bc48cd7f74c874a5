<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

/**
 * The use of all CPUs since boot, from /proc/stat.
 *
 * @internal
 */
final readonly class CpuTimes
{
    /** @param int $stolen by other virtual machines of the same host */
    private function __construct(private int $all, private int $idle, private int $stolen) {}

    public static function now(): self
    {
        $line = strtok((string) @file_get_contents('/proc/stat'), "\n");
        $ticks = array_map(intval(...), array_slice((array) preg_split('/\s+/', (string) $line), 1, 8));

        return new self(array_sum($ticks), ($ticks[3] ?? 0) + ($ticks[4] ?? 0), $ticks[7] ?? 0);
    }

    /** @return array{busy: float, stolen: float} shares of all CPUs, from 0 to 1 */
    public function since(self $earlier): array
    {
        $all = max(1, $this->all - $earlier->all);
        $stolen = $this->stolen - $earlier->stolen;

        return [
            'busy' => round(1 - ($this->idle - $earlier->idle + $stolen) / $all, 4),
            'stolen' => round($stolen / $all, 4),
        ];
    }
}
