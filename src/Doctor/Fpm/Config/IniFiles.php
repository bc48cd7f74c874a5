<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Runtime\PoolRuntime;

/**
 * The present content of the php.ini files of a running PHP-FPM, which it will read at its next start. A process of it
 * names these files, because the program knows only its built-in paths.
 *
 * @internal
 */
final readonly class IniFiles
{
    private const NAMES = ['opcache.enable', 'opcache.preload', 'opcache.preload_user'];

    /** Sections for directories or hosts. */
    private const ELSEWHERE = '/\A\s*\[\s*(?:PATH|HOST)\s*=/i';

    /**
     * @param list<string> $files as PoolRuntime has them; new files in their directories are read too
     * @return PoolSettings the settings of preloading, by name, each with its line
     *
     * @throws FactUnavailable
     */
    public static function read(array $files): PoolSettings
    {
        $settings = new PoolSettings('php.ini', []);

        foreach (self::NAMES as $name) {
            foreach (self::linesSetting($files, $name) as [$file, $number, $line]) {
                $read = IniLine::read($line);
                $settings = $settings->with(new PhpSetting(
                    $name,
                    $read->name === null
                        ? throw FactUnavailable::because(
                            "{$file}:{$number} has {$read->fault}: {$read->token}",
                            'sudo php-fpm -t',
                        )
                        : $read->value,
                    "{$file}:{$number}",
                ));
            }
        }

        return $settings;
    }

    /**
     * @param list<string> $files as PoolRuntime has them
     * @return list<array{string, int, string}> file, line number and text, the effective line last
     *
     * @throws FactUnavailable
     */
    public static function linesSetting(array $files, string $name): array
    {
        $settingLines = [];

        foreach (self::now($files) as $file) {
            $lines = is_file($file) ? @file($file, FILE_IGNORE_NEW_LINES) : [];
            $isElsewhere = false;

            if ($lines === false) {
                throw FactUnavailable::because("{$file} cannot be read.", 'sudo headroom doctor');
            }

            foreach ($lines as $number => $line) {
                $isElsewhere = preg_match('/\A\s*\[/', $line) === 1
                    ? preg_match(self::ELSEWHERE, $line) === 1
                    : $isElsewhere;

                if (! $isElsewhere && preg_match('/\A\s*'.preg_quote($name, '/').'\s*=/', $line) === 1) {
                    $settingLines[] = [$file, $number + 1, rtrim($line, "\r")];
                }
            }
        }

        return $settingLines;
    }

    /**
     * @param list<string> $files
     * @return list<string>
     */
    private static function now(array $files): array
    {
        $php = $files[0] ?? '';
        $directories = array_unique(array_map(dirname(...), array_slice($files, 1)));
        $found = array_map(
            static fn (string $directory): array => (array) glob(addcslashes($directory, '*?[]{}\\').'/*.ini'),
            $directories,
        );

        return [
            ...($php === '' ? [] : [$php]),
            ...array_values(array_filter(array_merge(...array_values($found)), is_string(...))),
        ];
    }
}
