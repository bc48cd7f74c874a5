<?php

declare(strict_types=1);

namespace Headroom\Process;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Symfony\Component\Process\Process;

/**
 * A server process that never outlives the process that started it.
 *
 * @internal
 */
final class ChildProcess implements Stoppable
{
    private const GRACE_MILLIS = 5_000;

    private const POLL_MICROS = 5_000;

    private readonly int $starter;

    private bool $stopped = false;

    /** @param int $pid of the server itself: the programs before it on the command line replace themselves with exec */
    private function __construct(
        private readonly ProcessOptions $launch,
        private readonly Process $process,
        public readonly int $pid,
        private readonly Clock $clock,
        private readonly Proc $proc,
    ) {
        $this->starter = (int) getmypid();
    }

    /**
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public static function start(ProcessOptions $launch, Clock $clock = new SystemClock): self
    {
        if (! extension_loaded('posix')) {
            throw UnableToFindProgram::extension('posix', 'php'.PHP_MAJOR_VERSION.'.'.PHP_MINOR_VERSION.'-common');
        }

        $command = ParentDeathSignal::around(
            $launch->command,
            $launch->stopSignals[count($launch->stopSignals) - 1],
            $launch->account,
        );
        // A file and not a pipe: a full pipe that no process reads would block the server.
        $process = new Process(['/bin/sh', '-c', 'exec "$@" >>"$0" 2>&1 </dev/null', $launch->log, ...$command]);
        $process->setTimeout(null);
        $process->disableOutput();
        $process->start(null, ProcessEnvironment::exactly($launch->env));
        // getPid() returns null if the process has already ended.
        $pid = $process->getPid()
            ?? throw UnableToStart::exited($launch->name, $process->getExitCode(), $launch->logTail());
        $daemon = new self($launch, $process, $pid, $clock, new Proc);
        ShutdownHandler::stop($daemon);

        return $daemon;
    }

    public function __destruct()
    {
        $this->stop();
    }

    public function isRunning(): bool
    {
        return $this->process->isRunning();
    }

    public function signal(Signal $signal): void
    {
        if ($this->process->isRunning()) {
            posix_kill($this->pid, $signal->value);
        }
    }

    /**
     * @param Closure(): bool $ready
     * @param int $millis timeout
     *
     * @throws UnableToStart with the end of the log; the process has been stopped then
     */
    public function awaitReady(Closure $ready, int $millis = 60_000): void
    {
        if ($this->waitFor(fn (): bool => ! $this->isRunning() || $ready(), $millis) && $this->isRunning()) {
            return;
        }

        $error = $this->isRunning()
            ? UnableToStart::notReady($this->launch->name, $millis, $this->logTail())
            : UnableToStart::exited($this->launch->name, $this->process->getExitCode(), $this->logTail());
        $this->stop();

        throw $error;
    }

    public function stop(): void
    {
        // A fork of the parent has a copy of this object, and must not stop the server when the copy is destroyed.
        if ($this->stopped || getmypid() !== $this->starter) {
            return;
        }

        $tree = new ProcessTree($this->pid, $this->proc, $this->clock);

        foreach ([...$this->launch->stopSignals, Signal::Kill] as $signal) {
            $this->process->isRunning() ? $tree->refresh() : null;
            $this->signal($signal);

            if ($this->waitFor(fn (): bool => ! $this->process->isRunning(), self::GRACE_MILLIS)) {
                break;
            }
        }

        // Kill workers that outlived their master.
        $tree->kill();
        // Set it last: a signal may interrupt the wait, and then stop() is called again.
        $this->stopped = true;
    }

    public function logTail(int $lines = 20): string
    {
        return $this->launch->logTail($lines);
    }

    /** @param Closure(): bool $condition */
    private function waitFor(Closure $condition, int $millis): bool
    {
        $until = $this->clock->monotonicNanos() + $millis * 1_000_000;

        while (! $condition()) {
            if ($this->clock->monotonicNanos() >= $until) {
                return false;
            }

            $this->clock->sleep(self::POLL_MICROS);
        }

        return true;
    }
}
