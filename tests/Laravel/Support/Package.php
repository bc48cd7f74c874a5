<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use RuntimeException;
use Symfony\Component\Process\ExecutableFinder;

/**
 * Composer's side of a new application.
 */
final readonly class Package
{
    private const ROOT = __DIR__.'/../../..';

    /**
     * Copies of the package and the stand-ins, as they would be in an archive: nothing of the
     * checkout but what is used.
     */
    public static function installLaravel(ScratchApplication $app, string $laravel): void
    {
        $root = (string) realpath(self::ROOT);
        $app->write('composer.json', json_encode([
            'name' => 'headroom/fresh-application',
            'type' => 'project',
            'require' => ['laravel/framework' => $laravel],
            'autoload' => ['psr-4' => ['App\\' => 'app/']],
            'scripts' => ['post-autoload-dump' => [
                'Illuminate\\Foundation\\ComposerScripts::postAutoloadDump', '@php artisan package:discover --ansi',
            ]],
            'config' => ['allow-plugins' => (object) []],
            'repositories' => [
                [
                    'type' => 'path',
                    'url' => self::lean($app, $root),
                    'options' => ['symlink' => false, 'versions' => ['headroom/headroom' => '1.0.0']],
                ],
                [
                    'type' => 'path',
                    'url' => "{$root}/dev/standins/*",
                    'canonical' => false,
                    'options' => ['symlink' => false],
                ],
            ],
            'minimum-stability' => 'alpha',
            'prefer-stable' => true,
        ], JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES));

        self::composer($app, 'install');
    }

    public static function requireHeadroom(ScratchApplication $app): void
    {
        self::composer($app, 'require', 'headroom/headroom:^1.0');
    }

    /** @return array<string, string> by package */
    public static function versions(ScratchApplication $app): array
    {
        /** @var array{packages: list<array{name: string, version: string}>} $installed */
        $installed = json_decode($app->read('vendor/composer/installed.json'), true, flags: JSON_THROW_ON_ERROR);
        $versions = array_column($installed['packages'], 'version', 'name');
        ksort($versions);

        return $versions;
    }

    private static function composer(ScratchApplication $app, string ...$arguments): void
    {
        $composer = (new ExecutableFinder)->find('composer')
            ?? throw new RuntimeException('composer is not on the PATH.');
        $cache = getenv('COMPOSER_CACHE_DIR');
        $env = [
            'COMPOSER_ALLOW_SUPERUSER' => '1',
            'COMPOSER_NO_AUDIT' => '1',
            ...($cache === false ? [] : ['COMPOSER_CACHE_DIR' => $cache]),
        ];

        foreach ([
            'HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'NO_PROXY', 'no_proxy', 'COMPOSER_HOME',
            'COMPOSER_AUTH', 'SSL_CERT_FILE',
        ] as $name) {
            $value = getenv($name);
            $env += $value === false ? [] : [$name => $value];
        }

        $process = $app->process(
            [$composer, ...array_values($arguments), '--no-interaction', '--no-progress', '--no-plugins'],
            $env,
        );
        $process->setTimeout(180);

        if ($process->run() !== 0) {
            throw new RuntimeException(
                "composer {$arguments[0]} failed:\n".$process->getOutput().$process->getErrorOutput(),
            );
        }
    }

    /** Composer copies the whole directory of a path repository, and the checkout has a vendor directory. */
    private static function lean(ScratchApplication $app, string $root): string
    {
        $target = $app->path('storage/package');
        mkdir($target);

        foreach (array_filter(
            ['src', 'config', 'database', 'bin', 'resources'],
            static fn (string $name): bool => is_dir("{$root}/{$name}"),
        ) as $name) {
            $copy = $app->run(['cp', '-R', "{$root}/{$name}", $target]);

            if ($copy->exit !== 0) {
                throw new RuntimeException($copy->err);
            }
        }

        copy("{$root}/composer.json", "{$target}/composer.json");

        return $target;
    }
}
