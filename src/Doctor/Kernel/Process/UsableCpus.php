<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Process;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\Kernel\UnreadableKernel;
use Headroom\Doctor\PartialFact;

/**
 * The CPUs that a process may use. With CPU pinning or a quota they are fewer than those of the machine.
 *
 * @internal
 */
final readonly class UsableCpus implements PartialFact
{
    /**
     * @param int $allowed by sched_setaffinity(2) and cpuset
     * @param ?float $quota of its control group, null without a quota
     * @param ?FactUnavailable $quotaUnknown why the quota is not known
     */
    private function __construct(
        public int $allowed,
        public ?float $quota,
        public ?FactUnavailable $quotaUnknown,
        public string $source,
    ) {}

    /** @throws FactUnavailable */
    public static function of(int $pid, KernelFiles $files = new KernelFiles): self
    {
        $path = "/proc/{$pid}/status";

        if (preg_match('/^Cpus_allowed_list:\s*(\d[\d,-]*)$/m', $files->read($path), $m) !== 1) {
            throw UnreadableKernel::noField($path, 'Cpus_allowed_list');
        }

        $allowed = self::count($m[1]);

        try {
            $group = ControlGroup::of($pid, $files);
        } catch (FactUnavailable $e) {
            return new self($allowed, null, $e, $path);
        }

        return new self(
            $allowed,
            $group->cpus,
            null,
            $group->cpuSource === null ? $path : "{$path}, {$group->cpuSource}",
        );
    }

    public function unread(): array
    {
        $why = $this->quotaUnknown;

        return $why === null ? [] : ['CPU quota' => FactUnavailable::because($why->getMessage(), $why->command)];
    }

    public function usable(): float
    {
        return $this->quota === null ? (float) $this->allowed : min((float) $this->allowed, $this->quota);
    }

    /** @param string $list such as 0-3,8 */
    private static function count(string $list): int
    {
        $count = 0;

        foreach (explode(',', $list) as $range) {
            $ends = explode('-', $range);
            $count += max(0, (int) ($ends[1] ?? $ends[0]) - (int) $ends[0] + 1);
        }

        return $count;
    }
}
