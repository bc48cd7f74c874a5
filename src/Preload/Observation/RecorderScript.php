<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

/**
 * The script that PHP runs before the application whose classes are recorded.
 *
 * @internal
 */
final readonly class RecorderScript
{
    private const DIRECTORY = "'DIRECTORY'";

    private const TEXT = <<<'PHP'
        <?php

        // The application must not notice this script: no variable, class or warning, no change of error_get_last().
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
                    // A request that ran out of memory could not write its classes under the same limit.
                    $limit = function_exists('ini_set') ? ini_set('memory_limit', '-1') : false;
                    $names = [];

                    $declared = [...get_declared_classes(), ...get_declared_interfaces(), ...get_declared_traits()];

                    foreach ($declared as $name) {
                        $class = new ReflectionClass($name);
                        $isEvaluated = str_contains((string) $class->getFileName(), "eval()'d code");

                        if (! $class->isInternal() && ! str_contains($class->name, "\0") && ! $isEvaluated) {
                            // A class name may have any bytes; JSON has UTF-8 only.
                            $names[$class->name] = '"'.base64_encode($class->name).'"';
                        }
                    }

                    $text = '['.implode(',', $names).']';
                    rewind($file);
                    ftruncate($file, 0);
                    fwrite($file, $text);
                    fflush($file);
                    unset($names, $text, $declared);
                    $limit === false || ini_set('memory_limit', $limit);
                } catch (Throwable) {
                } finally {
                    restore_error_handler();
                }
            };

            // Shutdown functions of the application may load classes, register others, or end all of them with exit().
            register_shutdown_function(static function () use ($write): void {
                $write();
                register_shutdown_function(static function () use ($write): void {
                    $write();
                    register_shutdown_function($write);
                });
            });
        })();

        PHP;

    /** @param string $prepended the auto_prepend_file of php.ini; '' for none */
    public static function text(string $directory, string $prepended): string
    {
        return str_replace(self::DIRECTORY, var_export($directory, true), self::TEXT)
            .($prepended === '' ? '' : 'require '.var_export($prepended, true).";\n");
    }
}
