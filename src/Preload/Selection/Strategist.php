<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\PreloadConfig;
use Headroom\Preload\Strategy;

/**
 * What each strategy wants, by what requests were seen to use.
 *
 * @internal
 */
final readonly class Strategist
{
    private const FRAMEWORK = 'laravel/';

    /** @param array<string, float> $shares of observed requests, by the class that they used */
    public function __construct(private Project $project, private ClassFinder $folders, private array $shares) {}

    public function wanted(Strategy $strategy, PreloadConfig $config): RequestedClasses
    {
        $files = match ($strategy) {
            Strategy::Hot => $this->hot($config->share),
            Strategy::HotLaravel => array_filter($this->hot($config->share), $this->isOfFramework(...)),
            Strategy::Laravel => $this->framework(),
            Strategy::Refined => $this->refined(),
            Strategy::Vendors => [...$this->refined(), ...$this->usedPackages()],
        };

        $files += $this->folders->classes($config->paths);
        $classes = [];

        foreach ($files as $class => $file) {
            $classes[$class] = ['file' => $file, 'share' => $this->shares[$class] ?? 0.0];
        }

        return new RequestedClasses($classes);
    }

    /** @return array<string, string> files by class, without those that Composer's loader does not load */
    private function hot(float $least): array
    {
        $hot = array_filter($this->shares, static fn (float $share): bool => $share >= $least && $share > 0);

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

        return $this->folders->classes(array_values($folders));
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

        return $this->folders->classes(array_keys($folders));
    }

    private function isOfFramework(string $file): bool
    {
        return str_starts_with($this->project->packageOf($file)->name ?? '', self::FRAMEWORK);
    }

    /**
     * Illuminate\Queue, Illuminate\Foundation\Console, Illuminate\Contracts\Mail:
     * what a framework's developers call a component.
     */
    private static function component(string $class): string
    {
        $parts = explode('\\', $class);
        array_pop($parts);

        return implode('\\', array_slice($parts, 0, 3));
    }
}
