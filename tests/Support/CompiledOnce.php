<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use PHPUnit\Runner\Extension\Extension;
use PHPUnit\Runner\Extension\Facade;
use PHPUnit\Runner\Extension\ParameterCollection;
use PHPUnit\TextUI\Configuration\Configuration;
use RuntimeException;

/**
 * PHPUnit extension: tests start PHP on the command line some thousand times, and most of what such a process does is to
 * compile the framework. With these variables it takes from build/compiled what another one has compiled.
 *
 * PHP-FPM does not inherit them: there opcache is what is looked at.
 */
final class CompiledOnce implements Extension
{
    public function bootstrap(Configuration $configuration, Facade $facade, ParameterCollection $parameters): void
    {
        foreach (self::environment() as $name => $value) {
            // Symfony hands on what is in both.
            putenv("{$name}={$value}");
            $_SERVER[$name] = $value;
        }
    }

    /**
     * @param string $user whose process it is: nobody reads what another user's PHP has written
     * @return array<string, string> for a process that inherits nothing, too
     */
    public static function environment(string $user = 'root'): array
    {
        if (! extension_loaded('Zend OPcache')) {
            return [];
        }

        $root = dirname(__DIR__, 2).'/build/compiled';
        self::directory("{$root}/{$user}");
        self::directory("{$root}/{$user}/files");
        // PHP does not start where it may not write there.
        @chmod("{$root}/{$user}/files", 0o1777);
        // What is there for one test only.
        self::put("{$root}/{$user}/not-these", sys_get_temp_dir()."/headroom-*\n");
        self::put("{$root}/{$user}/compiled.ini", <<<INI
            opcache.enable_cli = 1
            opcache.file_cache = "{$root}/{$user}/files"
            opcache.file_cache_only = 1
            opcache.file_cache_consistency_checks = 0
            opcache.blacklist_filename = "{$root}/{$user}/not-these"

            INI);

        // Whoever starts the tests may have settings of their own there; nothing is PHP's own directory.
        $theirs = explode(":{$root}/", (string) getenv('PHP_INI_SCAN_DIR'))[0];

        return ['PHP_INI_SCAN_DIR' => "{$theirs}:{$root}/{$user}", 'USE_ZEND_ALLOC_HUGE_PAGES' => '1'];
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
            file_put_contents($new, $text) === strlen($text) && rename($new, $file) || throw new RuntimeException("{$file} could not be written.");
        }
    }
}
