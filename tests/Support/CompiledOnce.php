<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Composer\Autoload\ClassLoader;
use PHPUnit\Runner\Extension\Extension;
use PHPUnit\Runner\Extension\Facade;
use PHPUnit\Runner\Extension\ParameterCollection;
use PHPUnit\TextUI\Configuration\Configuration;
use RuntimeException;

/**
 * PHPUnit extension: tests start PHP on the command line some ten thousand times, and most of what such a process does
 * is to load extensions and to compile the framework. With these variables it takes from build/compiled what another
 * one has compiled, and leaves out the extensions that it has no use for.
 *
 * PHP-FPM does not inherit them: there opcache is what is looked at.
 */
final class CompiledOnce implements Extension
{
    /**
     * Which of those that a distribution may load are of no use to what tests start.
     * Without intl Symfony's polyfills are there.
     */
    private const IDLE = [
        'calendar', 'exif', 'ffi', 'ftp', 'gettext', 'intl', 'mysqli', 'pgsql', 'readline', 'shmop', 'sysvmsg',
        'sysvsem', 'sysvshm', 'xmlreader', 'xsl',
    ];

    /**
     * Without them Symfony asks stty(1) twice, which takes a third of the time of a short command.
     * It takes these where there is no terminal.
     */
    private const WIDTH = ['COLUMNS' => '80', 'LINES' => '50'];

    /** PHP reads them by their names: this one is the last. */
    private const OWN = 'zzz-compiled.ini';

    public function bootstrap(Configuration $configuration, Facade $facade, ParameterCollection $parameters): void
    {
        foreach (self::environment() as $name => $value) {
            // Symfony hands on what is in both.
            putenv("{$name}={$value}");
            $_SERVER[$name] = $value;
        }
    }

    /**
     * @param string $user user of the process: PHP must not read files that another user's PHP has written
     * @return array<string, string> for a process that inherits nothing, too
     */
    public static function environment(string $user = 'root'): array
    {
        if (! extension_loaded('Zend OPcache')) {
            return self::WIDTH;
        }

        $settings = self::settings();
        // Code that was compiled with an extension is wrong without it, and a file of another version of a package may
        // have the same path and the same time of change: archives of packages give all their files one time.
        $packages = (string) @file_get_contents(
            array_key_first(ClassLoader::getRegisteredLoaders()).'/composer/installed.json',
        );
        $directory = dirname(__DIR__, 2)."/build/compiled/{$user}/".PHP_VERSION.'-'
            .hash('xxh128', implode("\n", [...$settings, $packages]));
        self::directory("{$directory}/files");
        // PHP does not start where it may not write there.
        @chmod("{$directory}/files", 0o1777);
        // Files that exist for one test only.
        self::put("{$directory}/not-these", sys_get_temp_dir()."/headroom-*\n");
        $settings[self::OWN] = <<<INI
            opcache.enable_cli = 1
            opcache.file_cache = "{$directory}/files"
            opcache.file_cache_only = 1
            opcache.file_cache_consistency_checks = 0
            opcache.blacklist_filename = "{$directory}/not-these"

            INI;

        foreach ($settings as $name => $text) {
            self::put("{$directory}/{$name}", $text);
        }

        return ['PHP_INI_SCAN_DIR' => $directory, 'USE_ZEND_ALLOC_HUGE_PAGES' => '1', ...self::WIDTH];
    }

    /** @return array<string, string> what this PHP has read beside its php.ini, by names in PHP's order */
    private static function settings(): array
    {
        $settings = [];

        foreach (explode(',', (string) php_ini_scanned_files()) as $file) {
            $file = trim($file);
            $isOwn = str_ends_with($file, '/'.self::OWN);
            $text = $file === '' || $isOwn ? '' : (string) file_get_contents($file);
            // A comment, or one that is left out.
            $rest = preg_replace(
                ['/^\s*;.*$/m', '/^\s*extension\s*=\s*"?('.implode('|', self::IDLE).')(\.so)?"?\s*$/mi'],
                '',
                $text,
            );

            if (trim((string) $rest) !== '') {
                // Two directories may have files of one name.
                $settings[sprintf(
                    '%03d-%s',
                    count($settings),
                    preg_replace('/\A\d{3}-/', '', basename($file)),
                )] = $text;
            }
        }

        return $settings;
    }

    private static function directory(string $path): void
    {
        if (! is_dir($path) && ! @mkdir($path, recursive: true) && ! is_dir($path)) {
            throw new RuntimeException("{$path} could not be made.");
        }
    }

    /** Whole or not at all: lanes do it at the same time. */
    private static function put(string $file, string $text): void
    {
        if (@file_get_contents($file) !== $text) {
            $new = "{$file}.".getmypid();
            file_put_contents($new, $text) === strlen($text) && rename($new, $file)
                || throw new RuntimeException("{$file} could not be written.");
        }
    }
}
