<?php

declare(strict_types=1);

namespace Headroom\Laravel\Doctor;

use FilesystemIterator;
use Headroom\Doctor\Application\Application as Facts;
use Headroom\Doctor\Application\ComposerPackages;
use Headroom\Doctor\Application\EnvironmentCalls;
use Headroom\Doctor\Laravel\BlockingRoute;
use Headroom\Doctor\Laravel\BlockingRoutes;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application as Contract;
use Illuminate\Contracts\Foundation\CachesConfiguration;
use Illuminate\Contracts\Foundation\CachesRoutes;
use Illuminate\Foundation\Application;
use Illuminate\Routing\Router;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use ReflectionClass;
use SplFileInfo;

/**
 * The doctor's facts about the application that it runs in.
 *
 * @internal
 */
final readonly class ApplicationProbe
{
    public function __construct(private Contract $app) {}

    public function facts(): Facts
    {
        $config = $this->app->make(Repository::class);

        return new Facts(
            $this->app->basePath(),
            $this->app->version(),
            (string) $this->app->environment(),
            $this->app->hasDebugModeEnabled(),
            $this->cached(),
            $config->all(),
            ComposerPackages::below($this->app->basePath('vendor')),
            $this->app instanceof Application ? array_keys($this->app->getLoadedProviders()) : [],
            $texts = $this->texts(),
            self::exported($texts['.env'] ?? ''),
            EnvironmentCalls::below($this->app->basePath()),
            ComposerPackages::isOptimized($this->app->basePath('vendor')),
            ComposerPackages::forDevelopment($this->app->basePath('vendor')),
        );
    }

    public function blockingRoutes(): BlockingRoutes
    {
        $routes = [];

        foreach ($this->app->make(Router::class)->getRoutes()->getRoutes() as $route) {
            $seconds = $route->locksFor();

            if ($seconds !== null) {
                $routes[] = new BlockingRoute(
                    array_values(array_filter($route->methods(), is_string(...))),
                    $route->uri(),
                    $seconds,
                    (int) $route->waitsFor(),
                );
            }
        }

        return new BlockingRoutes($routes);
    }

    /** @return list<string> the caches that `artisan about` reports */
    private function cached(): array
    {
        $isThere = [
            'config' => $this->app instanceof CachesConfiguration && $this->app->configurationIsCached(),
            'events' => $this->app instanceof Application && $this->app->eventsAreCached(),
            'routes' => $this->app instanceof CachesRoutes && $this->app->routesAreCached(),
            'views' => $this->hasCompiledViews(),
        ];

        return array_keys($isThere, true, true);
    }

    private function hasCompiledViews(): bool
    {
        $config = $this->app->make(Repository::class);
        $path = $config->get('view.compiled');

        return (is_string($path) && self::files("{$path}/*.php") !== [])
            || ! $this->hasViews((array) $config->get('view.paths'));
    }

    /** @param array<mixed> $paths */
    private function hasViews(array $paths): bool
    {
        foreach ($paths as $path) {
            foreach (is_string($path) && is_dir($path) ? new RecursiveIteratorIterator(
                new RecursiveDirectoryIterator($path, FilesystemIterator::SKIP_DOTS),
                RecursiveIteratorIterator::LEAVES_ONLY,
                RecursiveIteratorIterator::CATCH_GET_CHILD,
            ) : [] as $file) {
                if ($file instanceof SplFileInfo && str_ends_with($file->getFilename(), '.blade.php')) {
                    return true;
                }
            }
        }

        return false;
    }

    /**
     * Laravel copies the variables of .env into the environment, so only a variable that .env does not set is known to
     * be exported.
     *
     * @return list<string>
     */
    private static function exported(string $env): array
    {
        return array_values(array_filter(
            array_keys(getenv()),
            static fn (string $name): bool
                => preg_match('/^\s*(?:export\s+)?'.preg_quote($name, '/').'\s*=/m', $env) !== 1,
        ));
    }

    /**
     * @return array<string, string> the files that a fix would change; Laravel's own file if the application has none
     * of that name
     */
    private function texts(): array
    {
        $texts = [];

        foreach ([
            ...self::files(
                dirname((string) (new ReflectionClass(Application::class))->getFileName(), 4).'/config/*.php',
            ),
            ...self::files($this->app->configPath('*.php')),
            $this->app->basePath('.env'),
        ] as $file) {
            $text = is_file($file) ? @file_get_contents($file) : false;

            if ($text !== false) {
                $texts[basename($file) === '.env' ? '.env' : 'config/'.basename($file)] = $text;
            }
        }

        return $texts;
    }

    /** @return list<string> */
    private static function files(string $pattern): array
    {
        $files = glob($pattern);

        return $files === false ? [] : $files;
    }
}
