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
 * What has to be done once before a database can be started on a directory. Where it fails the directory is removed.
 *
 * @internal
 */
final readonly class DataDirectorySetup
{
    private const SECONDS = 120;

    private const POLL_MICROS = 5_000;

    public function __construct(private TemporaryDirectory $directory, private ?UnixUser $account, private Clock $clock) {}

    /**
     * @param non-empty-list<string> $command
     *
     * @throws UnableToStart with what it printed last
     */
    public function run(array $command, string $input = ''): void
    {
        $tied = ParentDeathSignal::around($command, Signal::Kill, $this->account);
        // In a folder that the account may enter: the starter's may be closed to it.
        $process = new Process($tied, $this->directory->work, ProcessEnvironment::exactly([]), $input, null);

        try {
            $code = $this->code($process);
            $code === 0 || throw UnableToStart::exited(basename($command[0]), $code, rtrim($process->getOutput().$process->getErrorOutput()));
        } catch (Throwable $e) {
            // Whatever it was: a signal may have come while it worked.
            $this->end($process);
            $this->directory->remove();

            throw $e;
        }
    }

    /** @return ?int null when it took too long */
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

    /** With all that it has started, which goes on writing into the directory otherwise. */
    private function end(Process $process): void
    {
        $pid = $process->isRunning() ? $process->getPid() : null;

        if ($pid !== null) {
            $family = new ProcessTree($pid, new Proc, $this->clock);
            $family->halt();
            $process->stop(0);
            $family->bury();
        }
    }
}
