<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Closure;
use Headroom\Support\FileOperation;

/**
 * Forks of this process. When a fork ends, a sleep of this process ends early.
 *
 * @internal
 */
final class ForkedProcesses implements ProcessControl
{
    private const NEEDED = [
        'pcntl_fork', 'pcntl_waitpid', 'pcntl_signal', 'pcntl_async_signals', 'pcntl_alarm', 'pcntl_sigprocmask',
        'pcntl_wifsignaled', 'pcntl_wtermsig', 'pcntl_wexitstatus', 'posix_kill', 'posix_getppid', 'getmypid',
    ];

    /** @var array<int, true> by pid */
    private array $running = [];

    public static function isPossible(): bool
    {
        return PHP_SAPI === 'cli' && array_filter(self::NEEDED, function_exists(...)) === self::NEEDED;
    }

    public function start(Closure $work, ?string &$reason = null): ?int
    {
        pcntl_async_signals(true);
        // A signal interrupts a sleep only if it has a handler.
        pcntl_signal(SIGCHLD, static function (): void {});
        $parent = (int) getmypid();
        $pid = FileOperation::run(static fn (): int => pcntl_fork(), $reason);

        if ($pid === 0) {
            pcntl_signal(SIGCHLD, SIG_DFL);

            exit($work($parent));
        }

        if ($pid < 0) {
            $this->resetSignalHandler();

            return null;
        }

        $this->running[$pid] = true;

        return $pid;
    }

    public function reap(int $pid): ?ProcessExit
    {
        $status = 0;

        if (pcntl_waitpid($pid, $status, WNOHANG) === 0) {
            return null;
        }

        unset($this->running[$pid]);
        $this->resetSignalHandler();
        $status = is_int($status) ? $status : 0;

        return pcntl_wifsignaled($status)
            ? ProcessExit::bySignal((int) pcntl_wtermsig($status))
            : ProcessExit::withCode((int) pcntl_wexitstatus($status));
    }

    public function signal(int $pid, int $signal): void
    {
        posix_kill($pid, $signal);
    }

    private function resetSignalHandler(): void
    {
        if ($this->running === []) {
            pcntl_signal(SIGCHLD, SIG_DFL);
        }
    }
}
