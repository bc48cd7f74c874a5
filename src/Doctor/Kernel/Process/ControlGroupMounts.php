<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Process;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;

/**
 * The directories of the control groups of a process.
 *
 * @internal
 */
final readonly class ControlGroupMounts
{
    /**
     * @param array<string, string> $groups path of the group by controller of version 1, '' for version 2
     * @param array<string, array{string, string}> $mounts root and mount point, likewise
     */
    private function __construct(private array $groups, private array $mounts, private KernelFiles $files) {}

    /** @throws FactUnavailable */
    public static function read(int $pid, KernelFiles $files): self
    {
        $groups = [];
        preg_match_all('/^\d+:([^:\n]*):(.*)$/m', $files->read("/proc/{$pid}/cgroup"), $lines, PREG_SET_ORDER);

        foreach ($lines as [, $controllers, $path]) {
            foreach (explode(',', $controllers) as $controller) {
                $groups[$controller] = $path;
            }
        }

        return new self($groups, self::mounts($files->read('/proc/self/mountinfo')), $files);
    }

    /** @return list<string> the group's own directory and those above it, as far as they are mounted here */
    public function directories(string $controller): array
    {
        $key = isset($this->groups[$controller]) ? $controller : '';
        $group = $this->groups[$key] ?? null;
        $mount = $this->mounts[$key] ?? null;

        if ($group === null || $mount === null) {
            return [];
        }

        [$root, $point] = $mount;
        // In a container the mount begins at the group of the container, so paths below it lack that root.
        $isBelow = $root !== '/' && ($group === $root || str_starts_with($group, "{$root}/"));
        $path = rtrim($point.($isBelow ? substr($group, strlen($root)) : $group), '/');
        $directories = [];

        for ($at = $path; strlen($at) >= strlen($point); $at = dirname($at)) {
            $directories = $this->files->has($at) && ! str_contains($at, '/../')
                ? [...$directories, $at]
                : $directories;
        }

        return $directories;
    }

    /** @return array<string, array{string, string}> proc_pid_mountinfo(5) */
    private static function mounts(string $text): array
    {
        $mounts = [];
        preg_match_all('/^\d+ \d+ \S+ (\S+) (\S+) .* - (cgroup2?) \S+ (\S+)$/m', $text, $lines, PREG_SET_ORDER);

        foreach ($lines as [, $root, $point, $type, $options]) {
            foreach ($type === 'cgroup2' ? [''] : explode(',', $options) as $controller) {
                $mounts[$controller] ??= [$root, $point];
            }
        }

        return $mounts;
    }
}
