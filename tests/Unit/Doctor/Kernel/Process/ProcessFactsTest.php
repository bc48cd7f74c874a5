<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Kernel\Process;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\MachineMemory;
use Headroom\Doctor\Kernel\Process\ChildrenMemory;
use Headroom\Doctor\Kernel\Process\ControlGroup;
use Headroom\Doctor\Kernel\Process\ProcessLimits;
use Headroom\Doctor\Kernel\Process\ProcessMemory;
use Headroom\Doctor\Kernel\Process\UsableCpus;
use Headroom\Doctor\Kernel\UnreadableKernel;
use Headroom\Tests\Unit\Doctor\Kernel\MachineTestCase;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

final class ProcessFactsTest extends MachineTestCase
{
    private const ROLLUP = "41c52000-7ffceb51b000 ---p 00000000 00:00 0                              [rollup]\nRss:"
        ."               32796 kB\nPss:               10077 kB\nPss_Dirty:          4063 kB\nPss_Anon:"
        ."           1492 kB\nSwap:                  8 kB\nSwapPss:               0 kB\n";

    private const V2 =
        "35 24 0:30 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

    private const V1 = '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:14 - cgroup cgroup'
        ." rw,cpu,cpuacct\n35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n41 31 0:38 /"
        ." /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

    #[Test]
    public function a_process_weighs_its_proportional_share(): void
    {
        $memory = ProcessMemory::of(7, $this->machine->has('/proc/7/smaps_rollup', self::ROLLUP)->files());

        self::assertSame(
            [7, 10_318_848, 33_583_104, 8_192, '/proc/7/smaps_rollup'],
            [$memory->pid, $memory->pssBytes, $memory->rssBytes, $memory->swapBytes, $memory->source],
        );
    }

    #[Test]
    public function children_that_are_gone_or_closed_to_us_are_no_zeros(): void
    {
        $files = $this->machine->has('/proc/7/smaps_rollup', self::ROLLUP)
            ->has('/proc/8/smaps_rollup', str_replace('10077', '20155', self::ROLLUP))
            ->has('/proc/9/stat', '')
            ->files();
        $memory = ChildrenMemory::of([7, 8, 9, 10], $files);

        self::assertSame(
            [15_478_784, 20_638_720, 30_957_568],
            [$memory->meanPssBytes(), $memory->largestPssBytes(), $memory->sumPssBytes()],
        );
        self::assertSame(
            [
                UnreadableKernel::unreadable('/proc/9/smaps_rollup', 'No such file or directory')->getMessage(),
                UnreadableKernel::gone('/proc/10/smaps_rollup', 10)->getMessage(),
            ],
            array_map(static fn (FactUnavailable $failure): string => $failure->getMessage(), $memory->failures),
        );
        self::assertSame('sudo cat /proc/9/smaps_rollup', $memory->failures[0]->command);
        self::assertSame(
            [null, null],
            [ChildrenMemory::of([10], $files)->meanPssBytes(), ChildrenMemory::of([], $files)->largestPssBytes()],
        );
    }

    #[Test]
    public function a_zombie_and_a_file_without_pss_are_unknown(): void
    {
        $files = $this->machine->has('/proc/7/smaps_rollup', '')
            ->has('/proc/8/smaps_rollup', "Rss: 1 kB\nPss: many kB\n")
            ->files();

        self::assertSame(
            UnreadableKernel::gone('/proc/7/smaps_rollup', 7)->getMessage(),
            self::failure(static fn (): ProcessMemory => ProcessMemory::of(7, $files)),
        );
        self::assertSame(
            UnreadableKernel::noField('/proc/8/smaps_rollup', 'Pss')->getMessage(),
            self::failure(static fn (): ProcessMemory => ProcessMemory::of(8, $files)),
        );
    }

    #[Test]
    public function a_rollup_cut_anywhere_gives_whole_numbers_or_none(): void
    {
        for ($cut = 0, $length = strlen(self::ROLLUP); $cut < $length; $cut++) {
            $files = $this->machine->has('/proc/7/smaps_rollup', substr(self::ROLLUP, 0, $cut))->files();

            try {
                self::assertSame(10_318_848, ProcessMemory::of(7, $files)->pssBytes);
            } catch (FactUnavailable) {
                // Up to the number's own line.
                self::assertLessThan(strlen((string) strstr(self::ROLLUP, "10077 kB\n", true)) + 9, $cut);
            }
        }
    }

    #[Test]
    public function the_memory_of_the_machine_is_in_bytes(): void
    {
        $memory = MachineMemory::read(
            $this->machine->has(
                '/proc/meminfo',
                "MemTotal:       24684096 kB\nMemFree:        19000000 kB\nMemAvailable:   22170608 kB\nSwapTotal:"
                    ."             0 kB\nHugePages_Total:       0\n",
            )->files(),
        );

        self::assertSame(
            [25_276_514_304, 22_702_702_592, 0],
            [$memory->totalBytes, $memory->availableBytes, $memory->swapTotalBytes],
        );
    }

    #[Test]
    public function limits_are_read_by_name_and_unlimited_is_the_largest_number(): void
    {
        $limits = ProcessLimits::of(
            7,
            $this->machine->has(
                '/proc/7/limits',
                "Limit                     Soft Limit           Hard Limit           Units     \nMax processes"
                    ."             unlimited            unlimited            processes \nMax open files            1024"
                    ."                 524288               files     \nMax nice priority         0"
                    ."                    0                    \n",
            )->files(),
        );

        self::assertSame([1_024, PHP_INT_MAX], [$limits->openFiles(), $limits->processes()]);
        self::assertSame(
            UnreadableKernel::noField('/proc/8/limits', 'Max open files')->getMessage(),
            self::failure(fn (): int => ProcessLimits::of(
                8,
                $this->machine->has('/proc/8/limits', "Max open files  many\n")->files(),
            )->openFiles()),
        );
    }

    #[Test]
    public function the_tightest_limit_of_the_group_and_those_above_it_holds(): void
    {
        $group = ControlGroup::of(7, $this->machine
            ->has('/proc/self/mountinfo', self::V2)->has('/proc/7/cgroup', "0::/system.slice/php8.2-fpm.service\n")
            ->has('/sys/fs/cgroup/system.slice/php8.2-fpm.service/memory.max', "max\n")
            ->has('/sys/fs/cgroup/system.slice/php8.2-fpm.service/cpu.max', "150000 100000\n")
            ->has('/sys/fs/cgroup/system.slice/memory.max', "1073741824\n")
            ->has('/sys/fs/cgroup/system.slice/cpu.max', "max 100000\n")
            ->files());

        self::assertSame(
            [
                1_073_741_824,
                '/sys/fs/cgroup/system.slice/memory.max',
                1.5,
                '/sys/fs/cgroup/system.slice/php8.2-fpm.service/cpu.max',
                '/sys/fs/cgroup/system.slice/php8.2-fpm.service/cpu.stat',
            ],
            [$group->memoryBytes, $group->memorySource, $group->cpus, $group->cpuSource, $group->throttled],
        );
    }

    #[Test]
    public function version_1_has_a_place_for_each_controller(): void
    {
        $group = ControlGroup::of(7, $this->machine
            ->has('/proc/self/mountinfo', self::V1)
            ->has('/proc/7/cgroup', "4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\n0::/elsewhere\n")
            ->has('/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes', "268435456\n")
            ->has('/sys/fs/cgroup/memory/memory.limit_in_bytes', "9223372036854771712\n")
            ->has('/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us', "50000\n")
            ->has('/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us', "100000\n")
            ->has('/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us', "-1\n")
            ->has('/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us', "100000\n")
            ->files());

        self::assertSame([268_435_456, 0.5], [$group->memoryBytes, $group->cpus]);
        self::assertSame('/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.stat', $group->throttled);
    }

    #[Test]
    public function no_limit_is_none_and_no_group_is_unknown(): void
    {
        $free = ControlGroup::of(7, $this->machine
            ->has('/proc/self/mountinfo', self::V1)->has('/proc/7/cgroup', "4:memory:/\n2:cpu,cpuacct:/\n")
            ->has('/sys/fs/cgroup/memory/memory.limit_in_bytes', "9223372036854771712\n")
            ->has('/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us', "-1\n")
            ->has('/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us', "100000\n")
            ->files());
        self::assertSame([null, null, null], [$free->memoryBytes, $free->cpus, $free->throttled]);

        $this->machine->has('/proc/self/mountinfo', "1 1 0:1 / / rw - ext4 /dev/sda rw\n");
        self::assertMatchesRegularExpression(
            '/ 7\b/',
            self::failure(fn (): ControlGroup => ControlGroup::of(7, $this->machine->files())),
        );
    }

    #[Test]
    public function the_mount_of_a_container_begins_at_its_own_group(): void
    {
        $files = $this->machine
            ->has('/proc/self/mountinfo', "35 24 0:30 /docker/abc /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw\n")
            ->has('/proc/7/cgroup', "0::/docker/abc/fpm\n")->has('/proc/8/cgroup', "0::/docker/abcdef\n")
            ->has('/sys/fs/cgroup/memory.max', "5000\n")->has('/sys/fs/cgroup/fpm/memory.max', "4000\n")->files();

        self::assertSame(
            [4_000, '/sys/fs/cgroup/fpm/memory.max'],
            [ControlGroup::of(7, $files)->memoryBytes, ControlGroup::of(7, $files)->memorySource],
        );
        self::assertSame(5_000, ControlGroup::of(8, $files)->memoryBytes);
    }

    /** @return iterable<string, array{string, int}> */
    public static function lists(): iterable
    {
        yield 'one' => ['0', 1];
        yield 'a range' => ['0-63', 64];
        yield 'some' => ['0-1,4,6-7', 5];
        yield 'a range that runs backwards' => ['3-1', 0];
    }

    #[Test]
    #[DataProvider('lists')]
    public function cpus_that_may_be_used_are_counted(string $list, int $count): void
    {
        $cpus = UsableCpus::of(
            7,
            $this->machine->has('/proc/7/status', "Name:\tphp\nCpus_allowed:\tff\nCpus_allowed_list:\t{$list}\n")
                ->has('/proc/7/cgroup', "0::/\n")
                ->has('/proc/self/mountinfo', self::V2)
                ->has('/sys/fs/cgroup/cpu.max', "200000 100000\n")
                ->files(),
        );

        self::assertSame([$count, 2.0, min((float) $count, 2.0)], [$cpus->allowed, $cpus->quota, $cpus->usable()]);
    }

    #[Test]
    public function a_quota_that_cannot_be_seen_is_unknown(): void
    {
        $cpus = UsableCpus::of(7, $this->machine->has('/proc/7/status', "Cpus_allowed_list:\t0-3\n")->files());

        self::assertSame([4, null, 4.0], [$cpus->allowed, $cpus->quota, $cpus->usable()]);
        self::assertSame('sudo cat /proc/7/cgroup', $cpus->quotaUnknown?->command);
    }

    #[Test]
    public function this_very_process_is_measured(): void
    {
        $pid = (int) getmypid();

        self::assertGreaterThan(1_000_000, ProcessMemory::of($pid)->pssBytes);
        self::assertLessThanOrEqual(ProcessMemory::of($pid)->rssBytes, ProcessMemory::of($pid)->pssBytes);
        $limits = posix_getrlimit();
        self::assertIsArray($limits);
        self::assertSame(
            $limits['soft openfiles'] === 'unlimited' ? PHP_INT_MAX : $limits['soft openfiles'],
            ProcessLimits::of($pid)->openFiles(),
        );
        self::assertGreaterThan(0, UsableCpus::of($pid)->allowed);
        self::assertGreaterThan(MachineMemory::read()->availableBytes, MachineMemory::read()->totalBytes);
    }

    /** @param callable(): mixed $call */
    private static function failure(callable $call): string
    {
        try {
            $call();
        } catch (FactUnavailable $e) {
            return $e->getMessage();
        }

        self::fail('It is not known.');
    }
}
