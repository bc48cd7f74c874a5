<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Process\ChildProcess;
use Headroom\Process\Proc;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;

/**
 * A private PHP-FPM that listens on a socket in its own directory.
 *
 * @internal
 */
final readonly class Master
{
    private function __construct(private ChildProcess $daemon, public string $socket, private Proc $proc) {}

    /**
     * @param array<string, string> $env
     *
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public static function start(
        PoolConfig $config,
        TemporaryDirectory $directory,
        array $env = [],
        IniSettings $ini = new IniSettings,
        Clock $clock = new SystemClock,
    ): self {
        $socket = $directory->file('fpm.sock');
        $log = $directory->file('fpm.log');
        $file = $directory->write('fpm.conf', $config->text($socket, $log));
        $command = [Programs::fpm(), '--nodaemonize', '--fpm-config', $file, ...$ini->flags()];

        if ($config->account?->isRoot() === true) {
            $command[] = '--allow-to-run-as-root';
        }

        $daemon = ChildProcess::start(
            new ProcessOptions('php-fpm', $command, $log, $env, [Signal::Quit, Signal::Terminate]),
            $clock,
        );
        $master = new self($daemon, $socket, new Proc);
        $daemon->awaitReady(
            static fn (): bool => file_exists($socket) && count($master->workerPids()) === $config->workers,
        );

        return $master;
    }

    public function pid(): int
    {
        return $this->daemon->pid;
    }

    /** @return list<int> */
    public function workerPids(): array
    {
        return $this->proc->workers($this->daemon->pid);
    }

    public function isRunning(): bool
    {
        return $this->daemon->isRunning();
    }

    public function logTail(int $lines = 20): string
    {
        return $this->daemon->logTail($lines);
    }

    /** Lets running requests finish, for up to 5 seconds. */
    public function stop(): void
    {
        $this->daemon->stop();
    }
}
