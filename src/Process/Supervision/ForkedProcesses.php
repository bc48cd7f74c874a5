<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Closure;
use Headroom\Process\UnableToStart;
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
        'pcntl_wifsignaled', 'pcntl_wtermsig', 'pcntl_wexitstatus', 'posix_kill', 'stream_socket_pair',
    ];

    /** @var array<int, Channel> by pid */
    private array $channels = [];

    public static function isPossible(): bool
    {
        return PHP_SAPI === 'cli' && array_filter(self::NEEDED, function_exists(...)) === self::NEEDED;
    }

    /**
     * @param Closure(Channel): int $work gets the channel to this process, returns the exit code
     *
     * @throws UnableToStart
     */
    public function start(string $name, Closure $work): ProcessHandle
    {
        pcntl_async_signals(true);
        // A signal interrupts a sleep only if it has a handler.
        pcntl_signal(SIGCHLD, static function (): void {});
        $reason = '';
        $pair = FileOperation::run(
            static fn () => stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0),
            $reason,
        );
        $pid = $pair === false ? -1 : FileOperation::run(static fn (): int => pcntl_fork(), $reason);

        if ($pair === false || $pid < 0) {
            $this->resetSignalHandler();

            throw UnableToStart::process($name, $reason);
        }

        $channel = Channel::over($pair[0]);

        if ($pid === 0) {
            pcntl_signal(SIGCHLD, SIG_DFL);
            // With a copy of these ends, a fork would keep its own channel and those of the others open after the
            // death of the supervisor.
            array_map(static fn (Channel $end) => $end->closeCopy(), [...$this->channels, $channel]);

            exit($work(Channel::over($pair[1])));
        }

        fclose($pair[1]);
        $this->channels[$pid] = $channel;

        return new ProcessHandle($pid, $channel, $this);
    }

    public function reap(int $pid): ?ProcessExit
    {
        $status = 0;

        if (pcntl_waitpid($pid, $status, WNOHANG) === 0) {
            return null;
        }

        ($this->channels[$pid] ?? null)?->close();
        unset($this->channels[$pid]);
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
        if ($this->channels === []) {
            pcntl_signal(SIGCHLD, SIG_DFL);
        }
    }
}
