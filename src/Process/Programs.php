<?php

declare(strict_types=1);

namespace Headroom\Process;

use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\PhpExecutableFinder;

/**
 * Finds the programs of servers. HEADROOM_NGINX, HEADROOM_PHP_FPM and HEADROOM_REDIS_SERVER take precedence over PATH.
 *
 * @internal
 */
final readonly class Programs
{
    // On Debian, the PATH of an ordinary user lacks these directories.
    private const ALSO = ['/usr/sbin', '/usr/local/sbin', '/sbin'];

    /** @throws UnableToFindProgram */
    public static function nginx(): string
    {
        return self::find('HEADROOM_NGINX', ['nginx'], 'nginx');
    }

    /** @throws UnableToFindProgram */
    public static function fpm(): string
    {
        $version = PHP_MAJOR_VERSION.'.'.PHP_MINOR_VERSION;

        return self::find('HEADROOM_PHP_FPM', ["php-fpm{$version}", 'php-fpm'], "php{$version}-fpm");
    }

    /**
     * Redis or Valkey.
     *
     * @throws UnableToFindProgram
     */
    public static function redis(): string
    {
        return self::find('HEADROOM_REDIS_SERVER', ['redis-server', 'valkey-server'], 'redis-server');
    }

    /** @throws UnableToFindProgram */
    public static function php(): string
    {
        $php = (new PhpExecutableFinder)->find(false);

        return $php === false
            ? throw UnableToFindProgram::program(['php'], 'php'.PHP_MAJOR_VERSION.'.'.PHP_MINOR_VERSION.'-cli')
            : $php;
    }

    /**
     * @param list<string> $folders further directories to search
     *
     * @throws UnableToFindProgram
     */
    public static function required(string $name, string $package, array $folders = []): string
    {
        return (new ExecutableFinder)->find($name, null, [...self::ALSO, ...$folders])
            ?? throw UnableToFindProgram::program([$name], $package, $folders);
    }

    public static function optional(string $name): ?string
    {
        return (new ExecutableFinder)->find($name, null, self::ALSO);
    }

    /** @param list<string> $names */
    private static function find(string $variable, array $names, string $package): string
    {
        $configured = getenv($variable);

        if (is_string($configured) && $configured !== '') {
            return is_executable($configured)
                ? $configured
                : throw UnableToFindProgram::notExecutable($variable, $configured);
        }

        foreach ($names as $name) {
            $path = self::optional($name);

            if ($path !== null) {
                return $path;
            }
        }

        throw UnableToFindProgram::program($names, $package);
    }
}
