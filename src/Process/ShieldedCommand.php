<?php

declare(strict_types=1);

namespace Headroom\Process;

use Symfony\Component\Process\Exception\ProcessSignaledException;
use Symfony\Component\Process\Process;

use function function_exists;
use function is_array;
use function pcntl_sigprocmask;

/**
 * Ctrl-C goes to every process in a terminal, and timeout(1) ends every process of a group. A command that ends in its own way on
 * either, as `top` does, must not lose the programs that it asks meanwhile.
 *
 * @internal
 */
final readonly class ShieldedCommand
{
    /**
     * A signal that is blocked stays so for the program: execve(2). Without pcntl, it ends this process as well.
     *
     * @return int the exit code; of a program that a signal ended all the same, as a crash is one, 128 and its number, as shells have it
     */
    public static function run(Process $process): int
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
            return $process->wait();
        } catch (ProcessSignaledException $e) {
            return 128 + $e->getSignal();
        }
    }
}
