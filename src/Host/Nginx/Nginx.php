<?php

declare(strict_types=1);

namespace Headroom\Host\Nginx;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\Proc;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;

/**
 * A private nginx on a free loopback port. It needs nginx 1.19.5 or later (option -e).
 *
 * @internal
 */
final readonly class Nginx
{
    private const TRIES = 3;

    private function __construct(private ChildProcess $daemon, public int $port, private Proc $proc) {}

    /**
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public static function start(
        NginxConfigTemplate $config,
        TemporaryDirectory $directory,
        Clock $clock = new SystemClock,
    ): self {
        for ($try = 1; ; $try++) {
            try {
                return self::attempt($config, $directory, $clock);
            } catch (UnableToStart $e) {
                // Another process may have taken the port between the check and the bind.
                if ($try === self::TRIES || ! str_contains($e->log, 'Address already in use')) {
                    throw $e;
                }
            }
        }
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

    public function stop(): void
    {
        $this->daemon->stop();
    }

    private static function attempt(NginxConfigTemplate $config, TemporaryDirectory $directory, Clock $clock): self
    {
        $port = Ports::free();
        $log = $directory->file('nginx.log');
        $file = $directory->write('nginx.conf', $config->text($directory->path, $port));
        $command = [Programs::nginx(), '-e', $log, '-p', $directory->path, '-c', $file];
        $daemon = ChildProcess::start(new ProcessOptions('nginx', $command, $log, [], [Signal::Terminate]), $clock);
        // nginx writes the pid file after it has bound the port; a connection alone could have reached another process.
        $nginx = new self($daemon, $port, new Proc);
        $daemon->awaitReady(static fn (): bool => is_file($directory->file('nginx.pid'))
            && count($nginx->workerPids()) === $config->processes()
            && Ports::accepts($port));

        return $nginx;
    }
}
