<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Process;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\Counters;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\Kernel\UnreadableKernel;

/**
 * The tightest limits of a process: of its control group and of all parents. Supports control groups of version 1 and
 * 2, also in parallel.
 *
 * @internal
 */
final readonly class ControlGroup
{
    // Version 1 writes "no limit" as the largest number of pages, in bytes.
    private const NO_LIMIT = 1 << 62;

    /**
     * @param ?int $memoryBytes null without a limit
     * @param ?float $cpus of CPU time per time, 0.5 is half a CPU; null without a limit
     * @param ?string $throttled the file with nr_periods and nr_throttled that goes with the quota: Counters::ofFile()
     */
    private function __construct(
        public ?int $memoryBytes,
        public ?string $memorySource,
        public ?float $cpus,
        public ?string $cpuSource,
        public ?string $throttled,
    ) {}

    /** @throws FactUnavailable when the process is gone, or no control group can be seen from here */
    public static function of(int $pid, KernelFiles $files = new KernelFiles): self
    {
        $mounts = ControlGroupMounts::read($pid, $files);
        $memory = $mounts->directories('memory');
        $cpu = $mounts->directories('cpu');

        if ($memory === [] && $cpu === []) {
            throw UnreadableKernel::noController($pid, 'limits of memory and CPU');
        }

        [$bytes, $memorySource] = self::tightest($memory, static fn (string $at): array => self::memory($at, $files));
        [$cpus, $cpuSource] = self::tightest($cpu, static fn (string $at): array => self::cpus($at, $files));

        return new self(
            $bytes,
            $memorySource,
            $cpus,
            $cpuSource,
            $cpuSource === null ? null : dirname($cpuSource).'/cpu.stat',
        );
    }

    /**
     * @template TLimit of int|float
     *
     * @param list<string> $directories
     * @param callable(string): array{?TLimit, string} $limit
     * @return array{?TLimit, ?string}
     */
    private static function tightest(array $directories, callable $limit): array
    {
        $tightest = [null, null];

        foreach ($directories as $directory) {
            [$value, $source] = $limit($directory);

            if ($value !== null && ($tightest[0] === null || $value < $tightest[0])) {
                $tightest = [$value, $source];
            }
        }

        return $tightest;
    }

    /** @return array{?int, string} */
    private static function memory(string $at, KernelFiles $files): array
    {
        $source = $files->has("{$at}/memory.max") ? "{$at}/memory.max" : "{$at}/memory.limit_in_bytes";
        $text = $files->has($source) ? trim($files->read($source)) : 'max';
        $isLimit = preg_match('/\A\d{1,19}\z/', $text) === 1 && (float) $text < self::NO_LIMIT;

        return [$isLimit ? (int) $text : null, $source];
    }

    /** @return array{?float, string} */
    private static function cpus(string $at, KernelFiles $files): array
    {
        $source = "{$at}/cpu.max";

        if ($files->has($source)) {
            $text = trim($files->read($source));
        } elseif ($files->has("{$at}/cpu.cfs_quota_us")) {
            $source = "{$at}/cpu.cfs_quota_us";
            $text = trim($files->read($source)).' '.trim($files->read("{$at}/cpu.cfs_period_us"));
        } else {
            $text = '';
        }

        return [
            preg_match('/\A(\d{1,18}) (\d{1,18})\z/', $text, $m) === 1 && (int) $m[2] > 0
                ? (float) $m[1] / (float) $m[2]
                : null,
            $source,
        ];
    }
}
