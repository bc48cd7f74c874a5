<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Daemon;
use Headroom\Host\IniSettings;
use Headroom\Host\Launch;
use Headroom\Host\Proc;
use Headroom\Host\Programs;
use Headroom\Host\Signal;
use Headroom\Host\TemporaryDirectory;
use Headroom\Host\UnableToFind;
use Headroom\Host\UnableToStart;

/**
 * A PHP-FPM of our own, listening on a socket in its directory.
 *
 * @internal
 */
final readonly class Master
{
    private function __construct(private Daemon $daemon, public string $socket, private Proc $proc) {}

    /**
     * @param array<string, string> $env
     *
     * @throws UnableToFind
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

        $daemon = Daemon::start(new Launch('php-fpm', $command, $log, $env, [Signal::Quit, Signal::Terminate]), $clock);
        $master = new self($daemon, $socket, new Proc);
        $daemon->awaitReady(static fn (): bool => file_exists($socket) && count($master->workerPids()) === $config->workers);

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

    /** Requests under way are finished, for up to 5 seconds. */
    public function stop(): void
    {
        $this->daemon->stop();
    }
}
