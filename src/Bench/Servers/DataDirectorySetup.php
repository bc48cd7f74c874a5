<?php

declare(strict_types=1);

namespace Headroom\Bench\Servers;

use Headroom\Core\Clock;
use Headroom\Process\ParentDeathSignal;
use Headroom\Process\Proc;
use Headroom\Process\ProcessEnvironment;
use Headroom\Process\ProcessTree;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToStart;
use Headroom\Process\UnixUser;
use Symfony\Component\Process\Process;
use Throwable;

/**
 * Runs the commands that initialize a database's data directory. If one fails, it removes the directory.
 *
 * @internal
 */
final readonly class DataDirectorySetup
{
    private const SECONDS = 120;

    private const POLL_MICROS = 5_000;

    public function __construct(
        private TemporaryDirectory $directory,
        private ?UnixUser $account,
        private Clock $clock,
    ) {}

    /**
     * @param non-empty-list<string> $command
     *
     * @throws UnableToStart with the last output of the command
     */
    public function run(array $command, string $input = ''): void
    {
        $tied = ParentDeathSignal::around($command, Signal::Kill, $this->account);
        // The database's user may not be able to enter the working directory of this process.
        $process = new Process($tied, $this->directory->work, ProcessEnvironment::exactly([]), $input, null);

        try {
            $code = $this->code($process);
            $code === 0
                || throw UnableToStart::exited(
                    basename($command[0]),
                    $code,
                    rtrim($process->getOutput().$process->getErrorOutput()),
                );
        } catch (Throwable $e) {
            // Also after an exception that a signal handler threw.
            $this->end($process);
            $this->directory->remove();

            throw $e;
        }
    }

    /** @return ?int null after a timeout */
    private function code(Process $process): ?int
    {
        $process->start();
        $until = $this->clock->monotonicNanos() + self::SECONDS * 1_000_000_000;

        while ($process->isRunning()) {
            if ($this->clock->monotonicNanos() >= $until) {
                return null;
            }

            $this->clock->sleep(self::POLL_MICROS);
        }

        return $process->getExitCode();
    }

    /** Ends the command and its children, which could otherwise still write into the directory. */
    private function end(Process $process): void
    {
        $pid = $process->isRunning() ? $process->getPid() : null;

        if ($pid !== null) {
            $tree = new ProcessTree($pid, new Proc, $this->clock);
            $tree->suspend();
            $process->stop(0);
            $tree->kill();
        }
    }
}
