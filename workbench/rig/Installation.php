<?php

declare(strict_types=1);

namespace Workbench\Rig;

use FilesystemIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use RuntimeException;
use SplFileInfo;

/**
 * What Composer installs for the workbench in production, once for each set of requirements: vendor/ without anything
 * for development. Others copy it and leave it as it is.
 */
final readonly class Installation
{
    private const PLACE = 'build/production';

    /** What a release of the package holds. */
    private const PACKAGE = ['bin', 'config', 'database', 'resources', 'src'];

    private function __construct(public string $path) {}

    /** @param ?string $laravel a version constraint of Composer; without, the newest version that this PHP can have */
    public static function of(?string $laravel = null): self
    {
        $root = self::checkout();
        $laravel ??= self::allowed($root);
        $path = "{$root}/".self::PLACE.'/'.self::hash($root, $laravel);

        if (! is_dir($path)) {
            self::make($root, $laravel, $path);
        }

        return new self($path);
    }

    /** The package as it is in the checkout now. */
    public static function putPackage(string $directory): void
    {
        Files::directory($directory);
        $root = self::checkout();

        foreach (self::PACKAGE as $name) {
            if (is_dir("{$root}/{$name}")) {
                Files::copy("{$root}/{$name}", "{$directory}/{$name}");
            }
        }

        Files::copy("{$root}/composer.json", "{$directory}/composer.json");
    }

    public static function checkout(): string
    {
        return dirname(__DIR__, 2);
    }

    /**
     * Under another name until it is whole: what broke off is never taken, and of two who make it at once one is kept.
     */
    private static function make(string $root, string $laravel, string $path): void
    {
        $draft = "{$path}.".bin2hex(random_bytes(6));
        Files::directory("{$draft}/app");
        Files::directory("{$draft}/packages");

        try {
            self::putPackage("{$draft}/packages/headroom");
            Files::copy("{$root}/dev/standins", "{$draft}/packages/standins");
            Files::write("{$draft}/composer.json", self::manifest($laravel));
            (new Composer($draft))->run(
                'install',
                '--no-dev',
                '--no-progress',
                '--optimize-autoloader',
                '--classmap-authoritative',
            );
            Files::share($draft);

            if (! @rename($draft, $path) && ! is_dir($path)) {
                throw new RuntimeException("{$draft} could not be renamed to {$path}.");
            }
        } finally {
            Files::run('rm', '-rf', $draft);
        }
    }

    private static function allowed(string $root): string
    {
        $manifest = json_decode((string) file_get_contents("{$root}/composer.json"), true, flags: JSON_THROW_ON_ERROR);

        return is_string($manifest['require-dev']['laravel/framework'] ?? null)
            ? $manifest['require-dev']['laravel/framework']
            : throw new RuntimeException("{$root}/composer.json names no versions of Laravel.");
    }

    private static function manifest(string $laravel): string
    {
        return json_encode([
            'name' => 'headroom/workbench',
            'description' => 'The workbench in production.',
            'type' => 'project',
            'license' => 'MIT',
            'require' => ['headroom/headroom' => '^1.0', 'laravel/framework' => $laravel],
            'autoload' => ['psr-4' => ['Workbench\\App\\' => 'app/']],
            'config' => ['allow-plugins' => (object) [], 'lock' => true, 'sort-packages' => true],
            'repositories' => [
                [
                    'type' => 'path',
                    'url' => 'packages/headroom',
                    'options' => ['symlink' => false, 'versions' => ['headroom/headroom' => '1.0.0']],
                ],
                [
                    'type' => 'path',
                    'url' => 'packages/standins/*',
                    'canonical' => false,
                    'options' => ['symlink' => false],
                ],
            ],
            'minimum-stability' => 'alpha',
            'prefer-stable' => true,
        ], JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES)."\n";
    }

    /** Of all that decides what is installed: PHP, how it is done, what is asked for, and the stand-ins. */
    private static function hash(string $root, string $laravel): string
    {
        $files = [];
        $parts = [
            PHP_VERSION,
            (string) file_get_contents(__FILE__),
            self::manifest($laravel),
            (string) file_get_contents("{$root}/composer.json"),
        ];
        $standIns = new RecursiveIteratorIterator(new RecursiveDirectoryIterator(
            "{$root}/dev/standins",
            FilesystemIterator::SKIP_DOTS,
        ));

        foreach ($standIns as $file) {
            if ($file instanceof SplFileInfo && $file->isFile()) {
                $files[] = "{$file->getPathname()}:".hash_file('xxh128', $file->getPathname());
            }
        }

        sort($files);

        return hash('xxh128', implode("\0", [...$parts, ...$files]));
    }
}
