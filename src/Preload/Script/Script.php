<?php

declare(strict_types=1);

namespace Headroom\Preload\Script;

use Headroom\Preload\Fpm\PhpVersion;
use Headroom\Preload\Mode;
use Headroom\Preload\Selection\Project;
use Headroom\Preload\Selection\Selection;
use Headroom\Preload\Strategy;
use Headroom\Preload\UnableToPreload;

/**
 * The script for opcache.preload. It derives the root of the application from its own path, so that it belongs to a
 * release. If PHP, the packages or the files differ from those that the list was proven with, it only logs that. It
 * catches every exception, because PHP does not start if the script throws one.
 *
 * @internal
 */
final readonly class Script
{
    private const TEMPLATE = <<<'PHP'
        <?php

        /*
         * PHP preloads these files when it starts. `headroom preload` generated and proved the list. Do not edit it.
         * Strategy %STRATEGY%, mode %MODE%, %COUNT%, PHP %VERSION%
         */

        declare(strict_types=1);

        (static function (): void {
            // On the command line, preloading would only slow down each start.
            if (in_array(PHP_SAPI, ['cli', 'phpdbg', 'embed'], true)) {
                return;
            }

            $root = %ROOT%;
            $say = static function (string $what): void {
                // disable_functions may contain error_log.
                if (function_exists('error_log')) {
                    error_log("headroom preload: {$what} Generate the list again: headroom:preload");
                }
            };
            $isAsProven = static function (string $hash, array $files) use ($root): bool {
                $state = hash_init('%ALGORITHM%');

                foreach ($files as $file) {
                    $path = "{$root}/{$file}";

                    if (! is_file($path) || ! is_readable($path) || ! hash_update_file($state, $path)) {
                        return false;
                    }
                }

                return hash_equals($hash, hash_final($state));
            };

            try {
                $root = (string) realpath($root);
                // The memory limit must not stop PHP from starting. A lack of shared memory would: it is checked below.
                ini_set('memory_limit', '-1');

                if (PHP_VERSION_ID !== %VERSION_ID%) {
                    $say('It was proven with PHP %VERSION%, and this is PHP '.PHP_VERSION.', so nothing is preloaded.');

                    return;
                }

                $lock = %LOCK%;

                if (! $isAsProven('%LOCK_HASH%', [$lock])) {
                    $say("{$root}/{$lock} has changed since the list was proven, so nothing is preloaded.");

                    return;
                }

                $guards = %GUARDS%;

                if (! $isAsProven('%GUARDS_HASH%', $guards)) {
                    $say('composer.json, bootstrap/app.php, the front controller or the autoloaded files of Composer'
                        .' have changed since the list was proven, so nothing is preloaded.');

                    return;
                }

                $strings = (int) ini_get('opcache.interned_strings_buffer');

                if (
                    (int) ini_get('opcache.memory_consumption') - $strings < %MEGABYTES%
                    || (int) ini_get('opcache.max_accelerated_files') < %ENTRIES%
                ) {
                    $say('The list needs %MEGABYTES% MB of opcache.memory_consumption in addition to'
                        .' opcache.interned_strings_buffer, and %ENTRIES% of opcache.max_accelerated_files.'
                        .' Nothing is preloaded, because PHP would not start.');

                    return;
                }

                $packages = %PACKAGES%;

                if (! $isAsProven('%PACKAGES_HASH%', $packages)) {
                    $say('Files below '.dirname("{$root}/{$lock}", 2).' have changed since the list was proven,'
                        .' are missing or cannot be read, so nothing is preloaded.');

                    return;
                }

                $application = %APPLICATION%;

                if (! $isAsProven('%APPLICATION_HASH%', $application)) {
                    $say('Files of the application have changed since the list was proven, are missing or cannot be'
                        .' read, so only packages are preloaded.');
                    $application = [];
                }

        %LOAD%
            } catch (Throwable $e) {
                $say(get_class($e).": {$e->getMessage()} in {$e->getFile()} line {$e->getLine()};"
                    .' the files after it are not preloaded.');
            }
        })();

        PHP;

    private const COMPILE = <<<'PHP'
                foreach ([...$packages, ...$application] as $file) {
                    opcache_compile_file("{$root}/{$file}");
                }
        PHP;

    private const AUTOLOAD = <<<'PHP'
                $files = %CLASSES%;
                $listed = array_fill_keys([...$packages, ...$application], true);
                $load = static function (string $class) use ($root, $files, $listed): void {
                    if (isset($files[$class], $listed[$files[$class]])) {
                        require_once "{$root}/{$files[$class]}";
                    }
                };
                spl_autoload_register($load);

                foreach (array_keys($files) as $class) {
                    try {
                        class_exists($class);
                    } catch (Throwable $e) {
                        $say("Class {$class} cannot be loaded: {$e->getMessage()}");
                    }
                }

                spl_autoload_unregister($load);
        PHP;

    /** The share of opcache's memory that a list may use. The rest is for opcache itself and files outside the list. */
    private const SHARE = 0.9;

    public const ALGORITHM = 'xxh128';

    public function __construct(
        private Project $project,
        private string $file,
        private Mode $mode,
        private Strategy $strategy,
        private PhpVersion $php,
        private string $front = 'public/index.php',
    ) {}

    /** @throws UnableToPreload */
    public function text(Selection $selection): string
    {
        $lock = $this->project->lockFile();
        $guards = $this->project->guards($this->front);
        $packages = array_values(array_filter(
            $selection->files,
            fn (string $file): bool => ! $this->project->isOfApplication($file),
        ));
        $application = array_values(array_filter($selection->files, $this->project->isOfApplication(...)));
        $levels = substr_count($this->file, '/');
        $load = $this->mode === Mode::Compile
            ? self::COMPILE
            : strtr(self::AUTOLOAD, ['%CLASSES%' => self::map($selection)]);

        return strtr(self::TEMPLATE, [
            '%LOAD%' => $load,
            '%STRATEGY%' => $this->strategy->value,
            '%MODE%' => $this->mode->value,
            '%COUNT%' => count($selection->files).' files',
            '%VERSION%' => $this->php->text,
            '%VERSION_ID%' => (string) $this->php->id,
            '%ROOT%' => match ($levels) {
                0 => '__DIR__',
                1 => 'dirname(__DIR__)',
                default => "dirname(__DIR__, {$levels})",
            },
            '%ALGORITHM%' => self::ALGORITHM,
            '%LOCK%' => var_export($lock, true),
            '%LOCK_HASH%' => $this->hash([$lock]),
            '%GUARDS%' => self::list($guards),
            '%GUARDS_HASH%' => $this->hash($guards),
            '%MEGABYTES%' => (string) (int) ceil($selection->bytes / self::SHARE / 1_048_576),
            '%ENTRIES%' => (string) (count($selection->files) + 1),
            '%PACKAGES%' => self::list($packages),
            '%PACKAGES_HASH%' => $this->hash($packages),
            '%APPLICATION%' => self::list($application),
            '%APPLICATION_HASH%' => $this->hash($application),
        ]);
    }

    /** @param list<string> $files */
    private function hash(array $files): string
    {
        $state = hash_init(self::ALGORITHM);

        foreach ($files as $file) {
            $path = $this->project->absolute($file);

            if (! @hash_update_file($state, $path)) {
                throw UnableToPreload::notRead($path);
            }
        }

        return hash_final($state);
    }

    /** @param list<string> $files */
    private static function list(array $files): string
    {
        return self::lines(array_map(static fn (string $file): string => var_export($file, true), $files));
    }

    private static function map(Selection $selection): string
    {
        $lines = [];

        foreach ($selection->classes as $file => $classes) {
            foreach ($classes as $class) {
                $lines[] = var_export($class, true).' => '.var_export($file, true);
            }
        }

        return self::lines($lines);
    }

    /** @param list<string> $lines */
    private static function lines(array $lines): string
    {
        $indent = str_repeat(' ', 12);

        return $lines === []
            ? '[]'
            : "[\n".implode('', array_map(static fn (string $line): string => "{$indent}{$line},\n", $lines))
                .str_repeat(' ', 8).']';
    }
}
