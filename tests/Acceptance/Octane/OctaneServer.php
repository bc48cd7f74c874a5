<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Octane;

use Headroom\Process\Ports;
use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use RuntimeException;
use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/**
 * `php artisan octane:start` with Swoole on a loopback port, in a scratch application.
 */
final class OctaneServer
{
    private const TRIES = 3;

    private const PATIENCE_SECONDS = 30;

    private function __construct(
        private readonly ScratchApplication $app,
        private readonly Process $process,
        private readonly int $port,
    ) {}

    /** @return ?string the directory of laravel/octane, if this machine has the package and Swoole */
    public static function package(): ?string
    {
        $package = getenv('HEADROOM_OCTANE');
        $package = is_string($package) && $package !== '' ? $package : dirname(__DIR__, 3).'/vendor/laravel/octane';

        return is_file("{$package}/bin/swoole-server")
            && (extension_loaded('swoole') || extension_loaded('openswoole'))
            && (new ExecutableFinder)->find('setsid') !== null
                ? $package
                : null;
    }

    /** @param int $workers for requests; one more for tasks */
    public static function start(ScratchApplication $app, int $workers): self
    {
        for ($try = 1; ; $try++) {
            $port = Ports::free();
            $process = $app->process(
                [
                    'setsid', Programs::php(), 'artisan', 'octane:start', '--server=swoole', '--host=127.0.0.1',
                    "--port={$port}", "--workers={$workers}", '--task-workers=1',
                ],
                self::environment(),
            );
            $process->setTimeout(null);
            $process->start();
            $server = new self($app, $process, $port);

            if ($server->awaitPort()) {
                return $server;
            }

            $server->stop();
            $try < self::TRIES || throw new RuntimeException("Octane did not start: {$process->getOutput()}");
        }
    }

    public function url(): string
    {
        return "http://127.0.0.1:{$this->port}";
    }

    public function reload(): Outcome
    {
        return $this->artisan('octane:reload');
    }

    public function stop(): void
    {
        // It kills the workers (SIGKILL), as in production. A worker that Swoole is just replacing survives that.
        $group = $this->process->getPid();
        $this->artisan('octane:stop');
        $group === null || posix_kill(-$group, SIGKILL);
        $this->process->stop(5);
    }

    private function artisan(string $command): Outcome
    {
        return $this->app->run([Programs::php(), 'artisan', $command, '--server=swoole'], self::environment());
    }

    private function awaitPort(): bool
    {
        for ($end = microtime(true) + self::PATIENCE_SECONDS; microtime(true) < $end; usleep(50_000)) {
            if (! $this->process->isRunning()) {
                return false;
            }

            if (Ports::accepts($this->port)) {
                return true;
            }
        }

        return false;
    }

    /** @return array<string, string> the directories of php.ini files, which may name the extension */
    private static function environment(): array
    {
        $directories = getenv('PHP_INI_SCAN_DIR');

        return is_string($directories) ? ['PHP_INI_SCAN_DIR' => $directories] : [];
    }
}
