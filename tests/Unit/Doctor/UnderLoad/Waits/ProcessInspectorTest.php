<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\UnderLoad\Waits;

use Headroom\Doctor\UnderLoad\Waits\ProcessWaits;
use Headroom\Doctor\UnderLoad\Waits\Syscall;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Doctor\Kernel\Machine;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * States of a process that a kernel may report and no test can cause.
 */
final class ProcessInspectorTest extends TestCase
{
    /**
     * @return iterable<string, array{string, string, string, WaitKind, ?list<string>}> the last is what the reason
     *     names, null without a reason
     */
    public static function kernels(): iterable
    {
        [$fcntl, $accept] = php_uname('m') === 'x86_64' ? [72, 43] : [25, 202];
        $call = static fn (int $number, string $arguments): string
            => "{$number} {$arguments} 0x7ffe224174b8 0x7fd29a1012ad\n";

        $read = $call(0, '0x3 0x7fd299f87000 0x20000 0x0 0x0 0x0');
        yield 'a disk' => ['D', $read, 'io_schedule', WaitKind::Disk, null];
        yield 'a page' => ['D', $read, 'folio_wait_bit_common', WaitKind::Disk, null];
        yield 'a journal' => ['D', $read, 'jbd2_log_wait_commit', WaitKind::Disk, null];
        yield 'a file system of a network' => ['D', $read, 'rpc_wait_bit_killable', WaitKind::Disk, null];
        yield 'a file of a directory is made' => ['D', $read, 'path_openat', WaitKind::KernelLock, null];
        yield 'a name in a directory' => ['D', $read, 'walk_component', WaitKind::KernelLock, null];
        yield 'a directory is listed' => ['D', $read, 'iterate_dir', WaitKind::KernelLock, null];
        yield 'a library is mapped by others as well' => ['D', $read, '__mmap_region', WaitKind::KernelLock, null];
        yield 'and a part of it protected' => ['D', $read, 'vma_prepare', WaitKind::KernelLock, null];
        yield 'and let go' => ['D', $read, 'unlink_file_vma_batch_process', WaitKind::KernelLock, null];
        yield 'vfork()' => ['D', $read, 'kernel_clone', WaitKind::Other, []];
        yield 'held somewhere' => [
            'D', $read, 'some_driver_waits', WaitKind::Unknown, ['some_driver_waits()', 'sudo cat /proc/7/stack'],
        ];
        yield 'held, and the place is hidden' => ['D', $read, '0', WaitKind::Unknown, ['sudo cat /proc/7/stack']];
        yield 'it just woke' => ['S', "running\n", '0', WaitKind::Working, null];
        yield 'a lock of fcntl()' => [
            'S', $call($fcntl, '0x5 0x7 0x7ffe224174b8 0x0 0x0 0x0'), '0', WaitKind::FileLock, null,
        ];
        yield 'fcntl() without a lock' => [
            'S', $call($fcntl, '0x5 0x4 0x0 0x0 0x0 0x0'), '0', WaitKind::Other, ['fcntl()'],
        ];
        yield 'accept()' => [
            'S', $call($accept, '0x0 0x7ffe224174b8 0x7ffe224174b8 0x0 0x0 0x0'), '0', WaitKind::Idle, null,
        ];
        yield 'another call' => ['S', $call(439, '0x1 0x2 0x3 0x4 0x5 0x6'), '0', WaitKind::Other, ['439']];
        yield 'no call' => ['S', "-1 0x7ffe224174b8 0x7fd29a1012ad\n", '0', WaitKind::Other, []];
        yield 'no line of a kernel' => [
            'S', "<html>\n", '0', WaitKind::Unknown, ['<html>', ' 1 ', 'cat /proc/7/syscall'],
        ];
    }

    /** @param ?list<string> $shown */
    #[Test]
    #[DataProvider('kernels')]
    public function files_of_a_kernel_tell_the_kind_of_a_wait(
        string $state,
        string $syscall,
        string $wchan,
        WaitKind $kind,
        ?array $shown,
    ): void {
        $wait = self::wait($state, $syscall, $wchan);

        self::assertSame(
            [$kind, $shown === null, null, 7],
            [$wait->kind, $wait->why === null, $wait->peer, $wait->pid],
        );

        foreach ($shown ?? [] as $name) {
            self::assertStringContainsString($name, (string) $wait->why);
        }
    }

    #[Test]
    #[Group('snapshot')]
    public function each_wait_without_a_peer_has_its_reason(): void
    {
        $words = '';

        foreach (self::kernels() as $name => [$state, $syscall, $wchan]) {
            $why = self::wait($state, $syscall, $wchan)->why;
            $words .= $why === null ? '' : "{$name}: {$why}\n";
        }

        Snapshot::assertPrinted('doctor waits', 'reasons', $words);
    }

    private static function wait(string $state, string $syscall, string $wchan): Wait
    {
        $machine = Machine::create()
            ->has('/proc/7/stat', "7 (php-fpm (a b)) {$state} ".implode(' ', array_fill(0, 49, '0'))."\n")
            ->has('/proc/7/syscall', $syscall)
            ->has('/proc/7/wchan', $wchan);

        try {
            return (new ProcessWaits([], $machine->files()))->of([7, 8])[0];
        } finally {
            $machine->remove();
        }
    }

    /** @return iterable<string, array{string, int, int, int, int, int}> */
    public static function machines(): iterable
    {
        yield 'x86_64' => ['x86_64', 271, 73, 42, 288, 230];
        yield 'aarch64' => ['aarch64', 73, 32, 203, 242, 115];
    }

    #[Test]
    #[DataProvider('machines')]
    public function the_numbers_of_a_machine_are_its_own(
        string $machine,
        int $ppoll,
        int $flock,
        int $connect,
        int $accept4,
        int $sleep,
    ): void {
        self::assertSame(
            [Syscall::Poll, Syscall::Flock, Syscall::Connect, Syscall::Accept, Syscall::Sleep],
            array_map(
                static fn (int $number): ?Syscall => Syscall::fromNumber($number, $machine),
                [$ppoll, $flock, $connect, $accept4, $sleep],
            ),
        );
        self::assertNull(Syscall::fromNumber(9999, $machine));
        self::assertFalse(Syscall::knows('riscv64'));
    }
}
