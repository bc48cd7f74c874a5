<?php

declare(strict_types=1);

namespace Headroom\Process;

use Closure;
use Symfony\Component\Process\Exception\ProcessSignaledException;
use Symfony\Component\Process\Process;

/**
 * Runs a program that does not receive SIGINT and SIGTERM.
 *
 * Ctrl-C reaches every process in a terminal, and timeout(1) signals a whole process group. A command that handles
 * these signals itself, as `doctor:top` does, must not lose the programs that it has started.
 *
 * @internal
 */
final readonly class SignalMaskedCommand
{
    /**
     * A blocked signal stays blocked in the new program: execve(2). Without pcntl the signals are not blocked.
     *
     * @param ?Closure(string, string): void $onOutput called with the stream and each piece of output
     * @return int exit code; 128 plus the number of the signal that ended the program, as in a shell
     */
    public static function run(Process $process, ?Closure $onOutput = null): int
    {
        $before = [];
        $isBlocked = function_exists('pcntl_sigprocmask') && pcntl_sigprocmask(SIG_BLOCK, [SIGINT, SIGTERM], $before);

        try {
            $process->start();
        } finally {
            if ($isBlocked && is_array($before)) {
                pcntl_sigprocmask(SIG_SETMASK, $before);
            }
        }

        try {
            return $process->wait($onOutput);
        } catch (ProcessSignaledException $e) {
            return 128 + $e->getSignal();
        }
    }
}
