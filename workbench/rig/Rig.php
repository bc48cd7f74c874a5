<?php

declare(strict_types=1);

namespace Workbench\Rig;

use Headroom\Dev\BuiltInServer;
use Headroom\Host\Server;
use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * This application behind real servers, with everything it writes in a directory of its own: for the demo, the
 * acceptance tests and the benchmarks. Started by root, all of it runs as www-data, as a deployed application does,
 * unless that user can not read this checkout.
 */
final class Rig
{
    private readonly TemporaryDirectory $directory;

    private readonly ?UnixUser $account;

    /** @param array<string, string> $variables of the environment; without DB_*, SQLite in the storage directory */
    public function __construct(private readonly array $variables = [])
    {
        $this->account = UnixUser::forWorkers(self::user());
        $this->directory = TemporaryDirectory::create('workbench', $this->account);
    }

    /** Tables anew, and configuration and routes cached as on a production server. */
    public function prepare(): void
    {
        $this->artisan('migrate:fresh', '--force');
        $this->artisan('config:cache');
        $this->artisan('route:cache');
    }

    public function serve(int $workers): Server
    {
        $config = new WebConfig(
            self::root().'/public/index.php',
            user: self::user(),
            workers: $workers,
            env: $this->environment(),
            // A deploy resets opcache, so nobody looks at timestamps in production.
            ini: [
                'opcache.enable' => true,
                'opcache.validate_timestamps' => false,
                'opcache.memory_consumption' => 128,
                'opcache.max_accelerated_files' => 20_000,
            ],
        );

        return WebStack::isInstalled() ? WebStack::start($config) : BuiltInServer::start($config);
    }

    /** What keeps emptying the buffer. The caller stops it. */
    public function worker(int $sleepMillis = 1000): Process
    {
        return $this->start('spool:work', '--sleep='.$sleepMillis / 1000);
    }

    /** A command that goes on. The caller stops it. */
    public function start(string ...$arguments): Process
    {
        $process = $this->process(...$arguments);
        $process->disableOutput();
        $process->start();

        return $process;
    }

    public function artisan(string ...$arguments): string
    {
        $process = $this->process(...$arguments);

        if ($process->run() !== 0) {
            throw new RuntimeException(
                'artisan '.implode(' ', $arguments)." failed:\n{$process->getOutput()}{$process->getErrorOutput()}",
            );
        }

        return $process->getOutput();
    }

    /** @return array<string, mixed> what spool:status says of one bucket */
    public function status(string $bucket): array
    {
        $process = $this->process('spool:status', '--json');
        $process->run();

        /** @var array{buckets: list<array<string, mixed>>} $status */
        $status = json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);

        foreach ($status['buckets'] as $row) {
            if ($row['bucket'] === $bucket) {
                return $row;
            }
        }

        throw new RuntimeException("spool:status does not know the bucket {$bucket}.");
    }

    public function storage(): string
    {
        return $this->directory->work;
    }

    public function remove(): void
    {
        $this->directory->remove();
    }

    public static function root(): string
    {
        return dirname(__DIR__);
    }

    /** Whom root serves as. */
    public static function user(): string
    {
        foreach ([self::root().'/public/index.php', dirname(self::root()).'/vendor/autoload.php'] as $path) {
            for ($needed = 0004; $path !== dirname($path); [$path, $needed] = [dirname($path), 0001]) {
                if ((fileperms($path) & $needed) === 0) {
                    return 'root';
                }
            }
        }

        return 'www-data';
    }

    private function process(string ...$arguments): Process
    {
        $command = [PHP_BINARY, self::root().'/artisan', ...$arguments];

        if ($this->account !== null && ! $this->account->isRoot()) {
            $command = [
                'setpriv',
                "--reuid={$this->account->user}",
                "--regid={$this->account->group}",
                '--init-groups',
                ...$command,
            ];
        }

        return new Process($command, self::root(), $this->environment(), timeout: null);
    }

    /** @return array<string, string> */
    private function environment(): array
    {
        return [
            'WORKBENCH_STORAGE' => $this->directory->work,
            'DB_CONNECTION' => 'sqlite',
            ...$this->variables,
        ];
    }
}
