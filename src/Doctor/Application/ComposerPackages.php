<?php

declare(strict_types=1);

namespace Headroom\Doctor\Application;

/**
 * The installed packages, from the files of Composer.
 *
 * @internal
 */
final readonly class ComposerPackages
{
    /** @return array<string, string> versions by name; empty where nothing is written down */
    public static function below(string $vendor): array
    {
        $read = self::read($vendor);
        $packages = [];

        foreach (is_array($read['packages'] ?? null) ? $read['packages'] : [] as $package) {
            if (
                is_array($package)
                && is_string($name = $package['name'] ?? null)
                && is_string($version = $package['version'] ?? null)
            ) {
                $packages[$name] = $version;
            }
        }

        return $packages;
    }

    /** @return list<string> names of those that are installed because --no-dev was not given */
    public static function forDevelopment(string $vendor): array
    {
        $read = self::read($vendor);
        $names = $read['dev-package-names'] ?? null;

        return ($read['dev'] ?? false) === true && is_array($names)
            ? array_values(array_filter($names, is_string(...)))
            : [];
    }

    /** @return array<mixed> */
    private static function read(string $vendor): array
    {
        $file = "{$vendor}/composer/installed.json";
        $read = is_file($file) ? json_decode((string) @file_get_contents($file), true) : null;

        return is_array($read) ? $read : [];
    }

    /**
     * @return ?bool whether `composer dump-autoload -o` was run: then classes of packages are found without looking for
     *     files; null where no class map is
     */
    public static function isOptimized(string $vendor): ?bool
    {
        $map = @file_get_contents("{$vendor}/composer/autoload_classmap.php");

        return $map === false ? null : str_contains($map, "'Illuminate\\\\Foundation\\\\Application'");
    }
}
