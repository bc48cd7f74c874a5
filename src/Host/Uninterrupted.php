<?php

declare(strict_types=1);

namespace Headroom\Host;

use Symfony\Component\Process\Process;

use function function_exists;
use function is_array;
use function pcntl_sigprocmask;

/**
 * Ctrl-C goes to every process in a terminal. A command that ends in its own way on it, as `top` does, must not lose the programs
 * that it asks meanwhile.
 *
 * @internal
 */
final readonly class Uninterrupted
{
    /** A signal that is blocked stays so for the program: execve(2). Without pcntl, Ctrl-C ends this process as well. */
    public static function run(Process $process): int
    {
        $before = [];
        $isBlocked = function_exists('pcntl_sigprocmask') && pcntl_sigprocmask(SIG_BLOCK, [SIGINT], $before);

        try {
            $process->start();
        } finally {
            if ($isBlocked && is_array($before)) {
                pcntl_sigprocmask(SIG_SETMASK, $before);
            }
        }

        return $process->wait();
    }
}
