<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use RuntimeException;
use Symfony\Component\Process\Process;
use Workbench\Rig\Rig;

/**
 * A copy of the workbench application with an .env of its own, deployed as for production, so that the fixes of
 * findings can be applied to it.
 */
final readonly class Application
{
    private TemporaryDirectory $directory;

    private ?UnixUser $account;

    /** @param array<string, string> $env of its .env */
    public function __construct(array $env)
    {
        $this->account = UnixUser::forWorkers(Rig::user());
        $this->directory = TemporaryDirectory::create('bottleneck-app', $this->account);
        $checkout = dirname(__DIR__, 3);
        mkdir($this->path());

        foreach ([
            'app', 'bootstrap', 'config', 'database', 'public', 'resources', 'routes', 'artisan', 'composer.json',
        ] as $part) {
            Process::fromShellCommandline(
                'cp -r "$FROM" "$TO"',
                env: ['FROM' => "{$checkout}/workbench/{$part}", 'TO' => "{$this->path()}/{$part}"],
            )->mustRun();
        }

        symlink("{$checkout}/vendor", "{$this->path()}/vendor");
        // Laravel looks for them next to the application, as in the checkout.
        symlink("{$checkout}/vendor", $this->directory->file('vendor'));
        symlink("{$checkout}/database", $this->directory->file('database'));
        file_put_contents(
            "{$this->path()}/.env",
            implode(
                '',
                array_map(
                    static fn (string $name, string $value): string => "{$name}={$value}\n",
                    array_keys($env),
                    $env,
                ),
            ),
        );
        $this->account === null
            || Process::fromShellCommandline(
                'chown -R "$WHO" "$WHAT"',
                env: ['WHO' => "{$this->account->user}:{$this->account->group}", 'WHAT' => $this->path()],
            )->mustRun();

        foreach (['migrate --force', 'config:cache', 'event:cache', 'route:cache', 'view:cache'] as $command) {
            $this->deploy(explode(' ', $command));
        }
    }

    public function path(): string
    {
        return $this->directory->file('site');
    }

    /**
     * Runs a command as you would in its directory.
     * @param list<string> $arguments
     */
    public function artisan(array $arguments): Process
    {
        $process = new Process(
            [Programs::php(), 'artisan', '--no-ansi', ...$arguments],
            $this->path(),
            self::environment(),
            timeout: 300,
        );
        $process->run();

        return $process;
    }

    public function remove(): void
    {
        $this->directory->remove();
    }

    /** @param list<string> $arguments */
    private function deploy(array $arguments): void
    {
        $command = [Programs::php(), 'artisan', '--no-ansi', ...$arguments];
        $as = $this->account === null || $this->account->isRoot()
            ? []
            : ['setpriv', "--reuid={$this->account->user}", "--regid={$this->account->group}", '--init-groups'];
        $process = new Process([...$as, ...$command], $this->path(), self::environment(), timeout: 60);

        if ($process->run() !== 0) {
            throw new RuntimeException(
                'artisan '.implode(' ', $arguments)." failed:\n{$process->getOutput()}{$process->getErrorOutput()}",
            );
        }
    }

    /** @return array<string, string|false> only the path of programs: the environment overrides .env */
    public static function environment(): array
    {
        return ['PATH' => (string) getenv('PATH')]
            + array_fill_keys(array_map(strval(...), array_keys(getenv() + $_ENV)), false);
    }
}
