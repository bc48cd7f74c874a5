<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\Kernel\UnreadableKernel;
use Headroom\Process\ProcStat;

/**
 * Inspects one process: whether it runs, and otherwise the system call that blocks it.
 *
 * @internal
 */
final readonly class ProcessInspector
{
    private const ATTEMPTS = 3;

    // F_SETLKW and F_OFD_SETLKW of fcntl(2). The other commands do not wait.
    private const WAITING_LOCKS = [7, 38];

    // The kernel resumes poll(), futex() and sleeps in this way. Functions show the first two;
    // for a sleep they show only its caller.
    private const RESUMED_SLEEP =
        '/\A(do_syscall_64|x64_sys_call|__x64_sys_restart_syscall|el0_svc|invoke_syscall|__arm64_sys_restart_syscall)/';

    private AwaitedDescriptors $descriptors;

    public function __construct(private KernelFiles $files)
    {
        $this->descriptors = new AwaitedDescriptors($files);
    }

    /** Null if it has ended. */
    public function at(int $pid): BlockedSyscall|Wait|null
    {
        try {
            $stat = ProcStat::fromLine($this->files->read("/proc/{$pid}/stat"));

            return match (true) {
                $stat === null || ! $stat->isAlive() => null,
                $stat->state === 'R' => new Wait(WaitKind::Working, null, null, $pid),
                $stat->state === 'D' => $this->held($pid),
                in_array(
                    $stat->state,
                    ['T', 't'],
                    true,
                ) => new Wait(WaitKind::Other, null, 'stopped by a signal or a debugger', $pid),
                default => $this->asleep($pid),
            };
        } catch (FactUnavailable $e) {
            return $this->files->has("/proc/{$pid}") ? self::unknown($pid, $e) : null;
        }
    }

    /** @throws FactUnavailable */
    private function held(int $pid): Wait
    {
        for ($try = 0; $try < self::ATTEMPTS; $try++) {
            $functions = $this->functions($pid);
            $held = UninterruptibleWait::fromFunctions($functions);

            if ($held !== null) {
                return $held->wait($pid);
            }

            // Blocked for less time than an inspection takes, so it waits for nothing. If it is blocked again, it is
            // inspected again.
            if (ProcStat::fromLine($this->files->read("/proc/{$pid}/stat"))?->state !== 'D') {
                return new Wait(WaitKind::Working, null, null, $pid);
            }
        }

        $where = in_array($functions[0] ?? '0', ['', '0'], true)
            ? 'and the kernel does not show where'
            : "in {$functions[0]}(), which the doctor does not know";

        return new Wait(
            WaitKind::Unknown,
            null,
            "It is in an uninterruptible wait (state D), {$where}. This command shows it: sudo cat /proc/{$pid}/stack",
            $pid,
        );
    }

    /**
     * The kernel functions that block it, the innermost first. More users may read the innermost one than the others.
     *
     * @return list<string>
     *
     * @throws FactUnavailable
     */
    private function functions(int $pid): array
    {
        $innermost = trim($this->files->read("/proc/{$pid}/wchan"));

        try {
            preg_match_all('/^\[<[0-9a-f]+>\] (\w+)/m', $this->files->read("/proc/{$pid}/stack"), $m);
        } catch (FactUnavailable) {
            return [$innermost];
        }

        // Blocked since before the first read: the value is 0 for a process that is not.
        return $innermost === '0' ? $m[1] : [$innermost, ...$m[1]];
    }

    /** @throws FactUnavailable */
    private function asleep(int $pid): BlockedSyscall|Wait
    {
        for ($try = 0; $try < self::ATTEMPTS; $try++) {
            try {
                $line = $this->files->read("/proc/{$pid}/syscall");
            } catch (FactUnavailable $e) {
                return $this->byChannel($pid, $e);
            }

            $found = $this->called($pid, $line);

            // Between two reads the process may have continued, and its memory have changed.
            if ($found instanceof Wait || $this->files->read("/proc/{$pid}/syscall") === $line) {
                return $found;
            }
        }

        // In another call at each read, so nothing blocks it.
        return new Wait(WaitKind::Working, null, null, $pid);
    }

    /** @throws FactUnavailable */
    private function called(int $pid, string $line): BlockedSyscall|Wait
    {
        $at = SyscallLine::parse($line) ?? throw UnreadableKernel::malformed("/proc/{$pid}/syscall", 1, rtrim($line));
        $machine = php_uname('m');

        if ($at->number === null) {
            return new Wait(WaitKind::Working, null, null, $pid);
        }

        if ($at->number < 0) {
            return new Wait(WaitKind::Other, null, 'held outside of a system call', $pid);
        }

        if (! Syscall::knows($machine)) {
            return $this->byChannel(
                $pid,
                UnreadableKernel::noField("/proc/{$pid}/syscall", "call of a known machine ({$machine})"),
            );
        }

        $call = Syscall::fromNumber($at->number, $machine);

        return match (true) {
            $call === null => new Wait(WaitKind::Other, null, "in system call {$at->number}", $pid),
            $call === Syscall::Restart => $this->resumed($pid, $at),
            $call === Syscall::Fcntl && ! in_array($at->argument(1), self::WAITING_LOCKS, true) => new Wait(
                WaitKind::Other,
                null,
                'in fcntl()',
                $pid,
            ),
            $call->waitsForDescriptors() => $this->awaiting($pid, $call, $at),
            default => new BlockedSyscall($pid, $call),
        };
    }

    /**
     * A call that a signal interrupted, such as that of PHP-FPM's slow log, continues under another number with the
     * same arguments.
     *
     * @throws FactUnavailable
     */
    private function resumed(int $pid, SyscallLine $at): BlockedSyscall|Wait
    {
        $channel = trim($this->files->read("/proc/{$pid}/wchan"));
        $call = Syscall::fromChannel($channel);

        return match (true) {
            $call === null
                && preg_match(self::RESUMED_SLEEP, $channel) === 1 => new BlockedSyscall($pid, Syscall::Sleep),
            $call === null => new Wait(
                WaitKind::Unknown,
                null,
                'It continues a call that a signal interrupted, and the kernel does not show which.'
                    .' This command shows it:'
                    ." sudo strace -p {$pid}",
                $pid,
            ),
            $call->waitsForDescriptors() => $this->awaiting($pid, $call, $at),
            default => new BlockedSyscall($pid, $call),
        };
    }

    private function awaiting(int $pid, Syscall $call, SyscallLine $at): BlockedSyscall
    {
        $awaited = $this->descriptors->of($pid, $call, $at);

        return match (true) {
            $awaited
                === null => new BlockedSyscall(
                    $pid,
                    $call,
                    $this->descriptors->allOf($pid),
                    "/proc/{$pid}/mem cannot be read",
                ),
            // Programs slept by poll() or select() without a descriptor before nanosleep() existed.
            $awaited === [] => new BlockedSyscall($pid, Syscall::Sleep),
            default => new BlockedSyscall(
                $pid,
                $call,
                $awaited,
                null,
                $call === Syscall::Connect ? $this->descriptors->path($pid, $at) : null,
            ),
        };
    }

    /** If the call is not readable, the kernel function that blocks the process may be. */
    private function byChannel(int $pid, FactUnavailable $refused): BlockedSyscall|Wait
    {
        $call = Syscall::fromChannel(trim($this->files->read("/proc/{$pid}/wchan")));

        return match (true) {
            $call === null => self::unknown($pid, $refused),
            $call->waitsForDescriptors() => new BlockedSyscall(
                $pid,
                $call,
                $this->descriptors->allOf($pid),
                rtrim($refused->getMessage(), '.'),
            ),
            default => new BlockedSyscall($pid, $call),
        };
    }

    private static function unknown(int $pid, FactUnavailable $refused): Wait
    {
        return new Wait(
            WaitKind::Unknown,
            null,
            "{$refused->getMessage()} This command shows it: {$refused->command}",
            $pid,
        );
    }
}
