<?php

declare(strict_types=1);

namespace Headroom\Host;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Fpm\IniSettings;
use Headroom\Host\Fpm\Master;
use Headroom\Host\Fpm\PoolConfig;
use Headroom\Host\Nginx\Nginx;
use Headroom\Host\Nginx\SiteConfig;
use Headroom\Process\InvalidServerConfig;
use Headroom\Process\Programs;
use Headroom\Process\ShutdownHandler;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Headroom\Process\UnixUser;

/**
 * A private nginx and PHP-FPM that serve an application.
 *
 * @internal
 */
final readonly class WebStack implements Server
{
    private function __construct(
        private Master $fpm,
        private Nginx $nginx,
        private TemporaryDirectory $directory,
    ) {}

    public static function isInstalled(): bool
    {
        try {
            return Programs::nginx() !== '' && Programs::fpm() !== '';
        } catch (UnableToFindProgram) {
            return false;
        }
    }

    /**
     * @throws UnableToFindProgram when nginx or PHP-FPM is not installed
     * @throws UnableToStart
     */
    public static function start(WebConfig $config, Clock $clock = new SystemClock): self
    {
        $account = UnixUser::forWorkers($config->user);
        $directory = TemporaryDirectory::create('web', $account);
        $fpm = null;

        try {
            $pool = new PoolConfig(
                max(1, $config->workers),
                $account,
                $config->requestTerminateSeconds,
                $config->statusPath,
                slowSeconds: $config->slowSeconds,
            );
            $fpm = Master::start($pool, $directory, $config->env, new IniSettings($config->ini), $clock);

            $stack = new self(
                $fpm,
                Nginx::start(self::site($config, $fpm->socket, $account), $directory, $clock),
                $directory,
            );
        } catch (UnableToFindProgram|UnableToStart|InvalidServerConfig $e) {
            $fpm?->stop();
            $directory->remove();

            throw $e;
        }

        ShutdownHandler::stop($stack);

        return $stack;
    }

    public function __destruct()
    {
        $this->stop();
    }

    public function url(): string
    {
        return "http://127.0.0.1:{$this->nginx->port}";
    }

    /** @return list<int> */
    public function workerPids(): array
    {
        return $this->fpm->workerPids();
    }

    public function fpm(): Master
    {
        return $this->fpm;
    }

    public function nginx(): Nginx
    {
        return $this->nginx;
    }

    /** The path of a file in the stack's directory: fpm.log, nginx.log, access.log, slow.log. */
    public function file(string $name): string
    {
        return $this->directory->file($name);
    }

    /**
     * Kills a random worker with SIGKILL. FPM replaces it; the request that it was running gets 502.
     *
     * @return ?int its pid, null if there was no worker
     */
    public function killRandomWorker(): ?int
    {
        $pids = $this->workerPids();

        if ($pids === []) {
            return null;
        }

        $pid = $pids[random_int(0, count($pids) - 1)];

        return posix_kill($pid, Signal::Kill->value) ? $pid : null;
    }

    public function stop(): void
    {
        $this->nginx->stop();
        $this->fpm->stop();
        $this->directory->remove();
    }

    private static function site(WebConfig $config, string $socket, ?UnixUser $account): SiteConfig
    {
        return new SiteConfig(
            $config->root(),
            $config->frontController,
            $socket,
            $account,
            $config->statusPath,
            $config->accessLog,
            $config->nginxWorkers,
        );
    }
}
