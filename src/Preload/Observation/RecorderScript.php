<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

/**
 * The script that PHP runs before those of a watched application.
 *
 * @internal
 */
final readonly class RecorderScript
{
    private const DIRECTORY = "'DIRECTORY'";

    private const TEXT = <<<'PHP'
        <?php

        // Nothing of the application may notice: no variable, no class, no warning, and error_get_last() as it was.
        (static function (): void {
            $page = $_SERVER['HEADROOM_PAGE'] ?? null;
            unset($_SERVER['HEADROOM_PAGE']);

            if (! is_string($page) || preg_match('/\A\d{1,9}\z/', $page) !== 1) {
                return;
            }

            set_error_handler(static fn (): bool => true);

            try {
                $file = fopen('DIRECTORY'."/page-{$page}-".bin2hex(random_bytes(8)), 'xbe');
                $isOurs = $file !== false && flock($file, LOCK_EX | LOCK_NB);
            } catch (Throwable) {
                $isOurs = false;
            } finally {
                restore_error_handler();
            }

            if (! $isOurs) {
                return;
            }

            $write = static function () use ($file): void {
                set_error_handler(static fn (): bool => true);

                try {
                    // One that has used up its memory is told so by PHP already.
                    $limit = function_exists('ini_set') ? ini_set('memory_limit', '-1') : false;
                    $names = [];

                    foreach ([...get_declared_classes(), ...get_declared_interfaces(), ...get_declared_traits()] as $name) {
                        $class = new ReflectionClass($name);

                        if (! $class->isInternal() && ! str_contains($class->name, "\0") && ! str_contains((string) $class->getFileName(), "eval()'d code")) {
                            // A name may be of any bytes.
                            $names[$class->name] = '"'.base64_encode($class->name).'"';
                        }
                    }

                    $text = '['.implode(',', $names).']';
                    rewind($file);
                    ftruncate($file, 0);
                    fwrite($file, $text);
                    fflush($file);
                    unset($names, $text);
                    $limit === false || ini_set('memory_limit', $limit);
                } catch (Throwable) {
                } finally {
                    restore_error_handler();
                }
            };

            // An application's shutdown function may load more, register another one, or end all of them with exit().
            register_shutdown_function(static function () use ($write): void {
                $write();
                register_shutdown_function(static function () use ($write): void {
                    $write();
                    register_shutdown_function($write);
                });
            });
        })();

        PHP;

    /** @param string $prepended what auto_prepend_file was without us; '' for nothing */
    public static function text(string $directory, string $prepended): string
    {
        return str_replace(self::DIRECTORY, var_export($directory, true), self::TEXT)
            .($prepended === '' ? '' : 'require '.var_export($prepended, true).";\n");
    }
}
