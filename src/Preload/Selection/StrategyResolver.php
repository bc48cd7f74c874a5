<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\PreloadConfig;
use Headroom\Preload\Strategy;

/**
 * Finds the classes that a strategy requests, by the shares of observed requests that use them.
 *
 * @internal
 */
final readonly class StrategyResolver
{
    private const FRAMEWORK = 'laravel/';

    /** @param array<string, float> $shares of observed requests, by class */
    public function __construct(private Project $project, private ClassFinder $finder, private array $shares) {}

    public function requested(Strategy $strategy, PreloadConfig $config): RequestedClasses
    {
        $files = match ($strategy) {
            Strategy::Hot => $this->hot($config->share),
            Strategy::HotLaravel => array_filter($this->hot($config->share), $this->isOfFramework(...)),
            Strategy::Laravel => $this->framework(),
            Strategy::Refined => $this->refined(),
            Strategy::Vendors => [...$this->refined(), ...$this->usedPackages()],
        };

        $files += $this->finder->classes($config->paths);
        $classes = [];

        foreach ($files as $class => $file) {
            $classes[$class] = ['file' => $file, 'share' => $this->shares[$class] ?? 0.0];
        }

        return new RequestedClasses($classes);
    }

    /** @return array<string, string> files by class, for classes that Composer's autoloader loads */
    private function hot(float $minShare): array
    {
        $hot = array_filter($this->shares, static fn (float $share): bool => $share >= $minShare && $share > 0);

        return array_filter(
            array_map(
                fn (string $class): ?string => $this->project->fileOf($class),
                array_combine(array_keys($hot), array_keys($hot)),
            ),
            is_string(...),
        );
    }

    /** @return array<string, string> */
    private function framework(): array
    {
        $folders = array_map(
            static fn (Package $package): string => $package->folder,
            array_filter(
                $this->project->packages,
                static fn (Package $package): bool => ! $package->isDev
                    && str_starts_with($package->name, self::FRAMEWORK),
            ),
        );

        return $this->finder->classes(array_values($folders));
    }

    /** @return array<string, string> */
    private function refined(): array
    {
        $used = array_fill_keys(array_map(self::component(...), array_keys($this->shares)), true);

        return array_filter(
            $this->framework(),
            static fn (string $class): bool => isset($used[self::component($class)]),
            ARRAY_FILTER_USE_KEY,
        );
    }

    /** @return array<string, string> */
    private function usedPackages(): array
    {
        $folders = [];

        foreach (array_keys($this->shares) as $class) {
            $file = $this->project->fileOf($class);
            $package = $file === null ? null : $this->project->packageOf($file);

            if ($package !== null && ! $package->isDev && ! str_starts_with($package->name, self::FRAMEWORK)) {
                $folders[$package->folder] = true;
            }
        }

        ksort($folders);

        return $this->finder->classes(array_keys($folders));
    }

    private function isOfFramework(string $file): bool
    {
        return str_starts_with($this->project->packageOf($file)->name ?? '', self::FRAMEWORK);
    }

    /**
     * The first three parts of the namespace, such as Illuminate\Queue or Illuminate\Foundation\Console.
     */
    private static function component(string $class): string
    {
        $parts = explode('\\', $class);
        array_pop($parts);

        return implode('\\', array_slice($parts, 0, 3));
    }
}
