<?php

declare(strict_types=1);

namespace Headroom\Dev;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Fpm\IniSettings;
use Headroom\Host\Server;
use Headroom\Host\WebConfig;
use Headroom\Process\ChildProcess;
use Headroom\Process\InvalidServerConfig;
use Headroom\Process\Ports;
use Headroom\Process\Proc;
use Headroom\Process\ProcessOptions;
use Headroom\Process\ProcStat;
use Headroom\Process\Programs;
use Headroom\Process\ShutdownHandler;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Headroom\Process\UnixUser;

/**
 * PHP's built-in development server with several workers, for machines without nginx and FPM. Do not measure with it.
 *
 * @internal
 */
final readonly class BuiltInServer implements Server
{
    private const TRIES = 3;

    private function __construct(
        private ChildProcess $daemon,
        private int $port,
        private TemporaryDirectory $directory,
        private Proc $proc,
    ) {}

    /**
     * Ignores the configuration's status path, access log and time limit.
     *
     * @throws InvalidServerConfig root starts it and the configuration's user does not exist
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public static function start(WebConfig $config, Clock $clock = new SystemClock): self
    {
        $directory = TemporaryDirectory::create('web');

        for ($try = 1; ; $try++) {
            try {
                return self::attempt($config, $directory, $clock);
            } catch (UnableToStart $e) {
                // Another process may have taken the port after it was found free.
                if ($try === self::TRIES || ! str_contains($e->log, 'Address already in use')) {
                    $directory->remove();

                    throw $e;
                }
            }
        }
    }

    public function __destruct()
    {
        $this->stop();
    }

    public function url(): string
    {
        return "http://127.0.0.1:{$this->port}";
    }

    /** @return list<int> */
    public function workerPids(): array
    {
        $family = $this->proc->descendants($this->daemon->pid);
        $parents = array_map(static fn (ProcStat $stat): int => $stat->parent, $family);
        $leaves = array_values(array_diff(array_keys($family), $parents));

        return $leaves === [] && $this->daemon->isRunning() ? [$this->daemon->pid] : $leaves;
    }

    public function file(string $name): string
    {
        return $this->directory->file($name);
    }

    public function stop(): void
    {
        $this->daemon->stop();
        $this->directory->remove();
    }

    private static function attempt(WebConfig $config, TemporaryDirectory $directory, Clock $clock): self
    {
        $port = Ports::free();
        $flags = (new IniSettings($config->ini))->flags();
        $command = [
            ...self::together(),
            Programs::php(),
            ...$flags,
            '-S',
            "127.0.0.1:{$port}",
            '-t',
            $config->root(),
            $config->frontController,
        ];
        // Without the variable PHP runs one worker; it rejects the value 1.
        $env = $config->workers > 1
            ? $config->env + ['PHP_CLI_SERVER_WORKERS' => (string) $config->workers]
            : $config->env;
        $log = $directory->file('php.log');
        $launch = new ProcessOptions(
            "PHP's built-in server",
            $command,
            $log,
            $env,
            account: UnixUser::forWorkers($config->user),
        );
        $daemon = ChildProcess::start($launch, $clock);
        $server = new self($daemon, $port, $directory, new Proc);
        $daemon->awaitReady(static fn (): bool => str_contains($daemon->logTail(), 'started')
            && count($server->workerPids()) === $config->workers
            && Ports::accepts($port));

        ShutdownHandler::stop($server);

        return $server;
    }

    /**
     * On SIGTERM PHP's master leaves its workers running, and on SIGINT it waits for all of them. timeout(1) without a
     * limit passes a signal on to the whole process group.
     *
     * @return list<string>
     */
    private static function together(): array
    {
        $timeout = Programs::optional('timeout');

        return $timeout === null ? [] : [$timeout, '0'];
    }
}
