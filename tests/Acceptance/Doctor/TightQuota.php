<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

/**
 * A control group of a test's own that gives its processes little CPU time, version 2 or 1.
 */
final readonly class TightQuota
{
    private const PERIOD_MICROS = 100_000;

    private function __construct(private string $group, private string $file) {}

    /** Null where none can be made. */
    public static function of(float $cpus): ?self
    {
        foreach (['/sys/fs/cgroup' => 'cpu.max', '/sys/fs/cgroup/cpu' => 'cpu.cfs_quota_us'] as $root => $file) {
            $group = "{$root}/headroom-test-".bin2hex(random_bytes(4));

            if (! is_file("{$root}/cgroup.procs") || ! @mkdir($group)) {
                continue;
            }

            // Of version 2 a group has only what the one above hands down.
            if ($file === 'cpu.max') {
                @file_put_contents("{$root}/cgroup.subtree_control", '+cpu');
            }

            $micros = (string) (int) ($cpus * self::PERIOD_MICROS);

            if (
                is_file("{$group}/{$file}")
                && @file_put_contents(
                    "{$group}/{$file}",
                    $file === 'cpu.max' ? "{$micros} ".self::PERIOD_MICROS : $micros,
                ) !== false
            ) {
                return new self($group, $file);
            }

            rmdir($group);
        }

        return null;
    }

    public function take(int ...$pids): void
    {
        foreach ($pids as $pid) {
            file_put_contents("{$this->group}/cgroup.procs", (string) $pid);
        }
    }

    public function name(): string
    {
        return basename($this->group);
    }

    /** From now on they take what there is. */
    public function lift(): void
    {
        file_put_contents("{$this->group}/{$this->file}", $this->file === 'cpu.max' ? 'max' : '-1');
    }

    /** Waits until it has no process, which takes the kernel a moment. */
    public function remove(): void
    {
        for ($try = 0; $try < 50 && ! @rmdir($this->group); $try++) {
            usleep(20_000);
        }
    }
}
