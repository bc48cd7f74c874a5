<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Redis;

use Closure;
use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToStart;

/**
 * A Redis of a test's own, on a free port, which may be killed, stopped and started again on its data. It ends with the
 * test at the latest. Without options it writes nothing to disk and has the memory it wants.
 */
final class RedisServer
{
    private ?ChildProcess $daemon = null;

    /** @param array<string, string|int> $options */
    private function __construct(
        private readonly TemporaryDirectory $directory,
        public readonly int $port,
        private array $options,
    ) {}

    public function __destruct()
    {
        $this->stop();
    }

    /**
     * @param array<string, string|int>|Closure(): array<string, string|int> $options as in redis.conf: ['appendonly' =>
     *     'yes', 'appendfsync' => 'always']; a closure chooses new ports for each try
     */
    public static function start(array|Closure $options = []): self
    {
        Installed::server();

        for ($try = 1; ; $try++) {
            $server = new self(
                TemporaryDirectory::create('redis'),
                Ports::free(),
                ($options instanceof Closure ? $options() : $options)
                    + ['save' => '', 'appendonly' => 'no', 'repl-diskless-sync-delay' => 0],
            );

            try {
                $server->launch();

                return $server;
            } catch (UnableToStart $e) {
                // Another process took the port between the look and the bind.
                if ($try === 3 || ! str_contains($e->getMessage(), 'already in use')) {
                    throw $e;
                }
            }
        }
    }

    public static function replicaOf(self $master): self
    {
        $replica = self::start(['replicaof' => "127.0.0.1 {$master->port}"]);
        Patience::until(
            static fn (): bool => str_contains($replica->info('replication'), 'master_link_status:up')
                && str_contains($master->info('replication'), "port={$replica->port},state=online"),
            "{$replica->port} follows {$master->port}",
        );

        return $replica;
    }

    public function ask(string|int ...$command): mixed
    {
        return Resp::ask($this->port, ...$command);
    }

    public function info(string $section): string
    {
        $info = $this->ask('INFO', $section);

        return is_string($info) ? $info : '';
    }

    /** As its process is called. */
    public function program(): string
    {
        return basename(Installed::server());
    }

    /** In the directory where it keeps its data. */
    public function file(string $name): string
    {
        return $this->directory->file($name);
    }

    /** kill -9; what lies in its directory stays. */
    public function kill(): void
    {
        $this->signal(SIGKILL);
        Patience::until(fn (): bool => $this->daemon === null || ! $this->daemon->isRunning(), "{$this->port} is gone");
        $this->daemon = null;
    }

    /** The kernel then accepts connections and bytes, and the server answers nothing. */
    public function freeze(): void
    {
        $this->signal(SIGSTOP);
    }

    public function thaw(): void
    {
        $this->signal(SIGCONT);
    }

    /**
     * On the same port and data.
     *
     * @param array<string, string|int> $options in place of those of the same name
     */
    public function restart(array $options = [], bool $awaitReady = true): void
    {
        $this->kill();
        $this->options = $options + $this->options;
        $this->launch($awaitReady);
    }

    public function stop(): void
    {
        $this->signal(SIGKILL);
        $this->daemon?->stop();
        $this->daemon = null;
        $this->directory->remove();
    }

    private function launch(bool $awaitReady = true): void
    {
        $command = [
            Installed::server(), '--bind', '127.0.0.1', '--port', (string) $this->port, '--dir',
            $this->directory->path,
        ];

        foreach ($this->options as $name => $value) {
            array_push($command, "--{$name}", ...explode(' ', (string) $value));
        }

        $this->daemon = ChildProcess::start(new ProcessOptions(
            'redis-server',
            $command,
            $this->directory->file('log'),
        ));

        if ($awaitReady) {
            $this->daemon->awaitReady(fn (): bool => Resp::answers($this->port));
        }
    }

    private function signal(int $signal): void
    {
        if ($this->daemon?->isRunning() === true) {
            posix_kill($this->daemon->pid, $signal);
        }
    }
}
