<?php

declare(strict_types=1);

namespace Workbench\Rig;

use Headroom\Host\WebConfig;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;
use InvalidArgumentException;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * A release of the workbench as it would be deployed, in a directory of its own: vendor/ without packages for
 * development, today's code of the package and of the workbench, an authoritative classmap, configuration, routes,
 * views and events in caches, a database of SQLite with posts in it. Whoever changes something in it
 * changes this copy alone.
 */
final readonly class Production
{
    private const APPLICATION = [
        'app', 'artisan', 'bootstrap', 'config', 'database', 'lang', 'public', 'resources', 'routes',
    ];

    private const WRITTEN_TO = ['bootstrap/cache', 'storage'];

    private const INI = [
        'opcache.enable' => true,
        'opcache.validate_timestamps' => false,
        'opcache.memory_consumption' => 128,
        'opcache.max_accelerated_files' => 20_000,
    ];

    private function __construct(private TemporaryDirectory $directory, private ?UnixUser $account) {}

    /** @param ?string $laravel a version constraint of Composer; without, the newest version that this PHP can have */
    public static function copy(?string $laravel = null): self
    {
        $account = UnixUser::forWorkers('www-data');
        $copy = new self(TemporaryDirectory::create('production', $account), $account);

        try {
            $copy->fill(Installation::of($laravel)->path);
            $copy->handOver();
            $copy->dumpAutoload();
            $copy->prepare();
        } catch (RuntimeException $e) {
            $copy->remove();

            throw $e;
        }

        return $copy;
    }

    /** @param string $name relative to the release; '' is the release itself */
    public function path(string $name = ''): string
    {
        return rtrim("{$this->directory->work}/{$name}", '/');
    }

    /**
     * Served by nginx and PHP-FPM as in production.
     *
     * @param array<string, string|int|bool> $ini
     */
    public function web(int $workers = 1, array $ini = []): WebConfig
    {
        // PHP-FPM that root starts refuses to preload as root.
        $user = $this->account !== null && isset($ini['opcache.preload'])
            ? ['opcache.preload_user' => $this->account->user]
            : [];

        return new WebConfig($this->path('public/index.php'), $workers, ini: [...self::INI, ...$user, ...$ini]);
    }

    /** @throws RuntimeException with what the command said, when it fails */
    public function artisan(string ...$arguments): string
    {
        $command = [PHP_BINARY, $this->path('artisan'), ...$arguments];

        if ($this->account !== null && ! $this->account->isRoot()) {
            $command = [
                'setpriv',
                "--reuid={$this->account->user}",
                "--regid={$this->account->group}",
                '--init-groups',
                ...$command,
            ];
        }

        // Nothing of who starts it: the settings of a release are in its .env.
        $process = new Process(
            $command,
            $this->path(),
            [
                'PATH' => (string) getenv('PATH'),
                ...array_fill_keys(array_diff(array_keys(getenv() + $_ENV), ['PATH']), false),
            ],
            timeout: null,
        );

        if ($process->run() !== 0) {
            throw new RuntimeException(
                'artisan '.implode(' ', $arguments)." failed:\n{$process->getOutput()}{$process->getErrorOutput()}",
            );
        }

        return $process->getOutput();
    }

    /** @param string $kind plain: classes are looked for; optimized: a map first; authoritative: the map alone */
    public function dumpAutoload(string $kind = 'authoritative'): void
    {
        (new Composer($this->path()))->run('dump-autoload', ...match ($kind) {
            'plain' => [],
            'optimized' => ['--optimize'],
            'authoritative' => ['--optimize', '--classmap-authoritative'],
            default => throw new InvalidArgumentException(
                "An autoloader of Composer is plain, optimized or authoritative, not {$kind}.",
            ),
        });
        Files::share($this->path('vendor/composer'));
        // opcache leaves alone what was written within the last 2 seconds, opcache.file_update_protection.
        $this->age('vendor/composer/*.php', 'vendor/autoload.php');
    }

    public function remove(): void
    {
        $this->directory->remove();
    }

    private function fill(string $installed): void
    {
        foreach (['composer.json', 'composer.lock', 'vendor'] as $name) {
            Files::copy("{$installed}/{$name}", $this->path($name));
        }

        foreach (self::APPLICATION as $name) {
            Files::copy(Rig::root()."/{$name}", $this->path($name));
        }

        Installation::putPackage($this->path('vendor/headroom/headroom'));

        // As spool:install publishes them.
        foreach (glob($this->path('vendor/headroom/headroom/database/migrations/*.php')) ?: [] as $migration) {
            Files::copy($migration, $this->path('database/migrations/'.basename($migration)));
        }

        Files::write(
            $this->path('bootstrap/autoload.php'),
            "<?php\n\ndeclare(strict_types=1);\n\nrequire __DIR__.'/../vendor/autoload.php';\n",
        );
        array_map(fn (string $name) => Files::directory($this->path($name)), self::WRITTEN_TO);
        Files::write($this->path('.env'), self::env([
            'APP_KEY' => 'base64:'.base64_encode(random_bytes(32)),
            'APP_ENV' => 'production',
            'DB_CONNECTION' => 'sqlite',
            'MAIL_MAILER' => 'array',
            'SESSION_DRIVER' => 'file',
        ]));
    }

    /** @param array<string, string> $settings */
    private static function env(array $settings): string
    {
        return implode(
            '',
            array_map(
                static fn (string $name, string $value): string => "{$name}=\"{$value}\"\n",
                array_keys($settings),
                $settings,
            ),
        );
    }

    private function handOver(): void
    {
        array_map(
            fn (string $name) => Files::share($this->path($name)),
            [...self::APPLICATION, 'vendor/headroom', '.env'],
        );

        if ($this->account !== null) {
            array_map(
                fn (string $name) => Files::own($this->path($name), $this->account->user, $this->account->group),
                self::WRITTEN_TO,
            );
        }
    }

    private function prepare(): void
    {
        $this->artisan('package:discover');
        $this->artisan('migrate', '--force');
        $this->artisan('workbench:posts');

        foreach (['config:cache', 'event:cache', 'route:cache', 'view:cache'] as $command) {
            $this->artisan($command);
        }

        $this->age('bootstrap/*.php', 'bootstrap/cache/*.php');
    }

    private function age(string ...$patterns): void
    {
        foreach ($patterns as $pattern) {
            foreach (glob($this->path($pattern)) ?: [] as $file) {
                touch($file, filemtime($file) - 60);
            }
        }
    }
}
