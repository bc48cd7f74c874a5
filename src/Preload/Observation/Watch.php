<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Core\Attempt;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;

/**
 * Sees which classes a request to a private PHP-FPM uses, of any PHP application, from outside of it.
 *
 * A script that PHP runs before the application's opens a file and locks it; shutdown functions write into it. The lock
 * ends with the request, however that ends, so whoever holds it after that has all there is. The file is opened at once since
 * the application may set open_basedir later.
 *
 * @internal
 */
final readonly class Watch
{
    /** The FastCGI parameter that numbers a page. A request without it is not watched. */
    public const PARAMETER = 'HEADROOM_PAGE';

    private const POLL_MICROS = 2_000;

    private function __construct(private string $directory, public string $script, private Clock $clock) {}

    /**
     * @param string $directory absolute; workers write there
     * @param string $prepended what auto_prepend_file was without us; '' for nothing
     *
     * @throws UnableToObserve
     */
    public static function in(string $directory, string $prepended = '', Clock $clock = new SystemClock): self
    {
        $script = "{$directory}/watch.php";
        $text = self::script($directory, $prepended);

        if (! Attempt::run(static fn (): bool => file_put_contents($script, $text) === strlen($text), $reason)) {
            throw UnableToObserve::notWritten($script, $reason);
        }

        // Workers are another user when root starts them; umask(2) has no say in chmod(2).
        chmod($script, 0o444);

        return new self($directory, $script, $clock);
    }

    /** @return array<string, string> for the PHP-FPM: with a preload all would be used */
    public function ini(): array
    {
        return ['auto_prepend_file' => $this->script, 'opcache.preload' => ''];
    }

    /** @return array<string, string> for the request */
    public function parameters(int $page): array
    {
        return [self::PARAMETER => (string) $page];
    }

    /**
     * Waits for the end of the requests, since many applications work on after the answer.
     *
     * @return list<string> used by any request of this number
     *
     * @throws UnableToObserve
     */
    public function classesOf(int $page, int $seconds = 30): array
    {
        $files = $this->filesOf($page);
        $until = $this->clock->monotonicNanos() + $seconds * 1_000_000_000;
        $classes = [];

        foreach ($files === [] ? throw UnableToObserve::notWatched($page, $this->directory) : $files as $path) {
            $text = $this->ended($path, $until) ?? throw UnableToObserve::unfinished($page, $seconds);
            $names = json_decode($text, true);

            foreach (is_array($names) ? $names : throw UnableToObserve::cutShort($page) as $name) {
                $classes[(string) base64_decode(is_string($name) ? $name : '', true)] = true;
            }
        }

        ksort($classes);

        return array_keys($classes);
    }

    /** @return ?string what is in the file once its request is over; null when that takes too long */
    private function ended(string $path, int $until): ?string
    {
        $file = Attempt::run(static fn () => fopen($path, 're'), $reason);

        if ($file === false) {
            throw UnableToObserve::notRead($path, $reason);
        }

        try {
            while (! flock($file, LOCK_SH | LOCK_NB)) {
                if ($this->clock->monotonicNanos() > $until) {
                    return null;
                }

                $this->clock->sleep(self::POLL_MICROS);
            }

            return (string) stream_get_contents($file);
        } finally {
            fclose($file);
        }
    }

    /** @return list<string> */
    private function filesOf(int $page): array
    {
        $files = [];
        $names = Attempt::run(fn () => scandir($this->directory));

        foreach ($names === false ? [] : $names as $name) {
            if (str_starts_with($name, "page-{$page}-")) {
                $files[] = "{$this->directory}/{$name}";
            }
        }

        return $files;
    }

    private static function script(string $directory, string $prepended): string
    {
        $quoted = var_export($directory, true);
        $parameter = self::PARAMETER;
        $next = $prepended === '' ? '' : 'require '.var_export($prepended, true).";\n";

        return <<<PHP
            <?php

            // Nothing of the application may notice: no variable, no class, no warning, and error_get_last() as it was.
            (static function (): void {
                \$page = \$_SERVER['{$parameter}'] ?? null;
                unset(\$_SERVER['{$parameter}']);

                if (! is_string(\$page) || preg_match('/\\A\\d{1,9}\\z/', \$page) !== 1) {
                    return;
                }

                set_error_handler(static fn (): bool => true);

                try {
                    \$file = fopen({$quoted}."/page-{\$page}-".bin2hex(random_bytes(8)), 'xbe');
                    \$isOurs = \$file !== false && flock(\$file, LOCK_EX | LOCK_NB);
                } catch (Throwable) {
                    \$isOurs = false;
                } finally {
                    restore_error_handler();
                }

                if (! \$isOurs) {
                    return;
                }

                \$write = static function () use (\$file): void {
                    set_error_handler(static fn (): bool => true);

                    try {
                        // One that has used up its memory is told so by PHP already.
                        \$limit = function_exists('ini_set') ? ini_set('memory_limit', '-1') : false;
                        \$names = [];

                        foreach ([...get_declared_classes(), ...get_declared_interfaces(), ...get_declared_traits()] as \$name) {
                            \$class = new ReflectionClass(\$name);

                            if (! \$class->isInternal() && ! str_contains(\$class->name, "\\0") && ! str_contains((string) \$class->getFileName(), "eval()'d code")) {
                                // A name may be of any bytes.
                                \$names[\$class->name] = '"'.base64_encode(\$class->name).'"';
                            }
                        }

                        \$text = '['.implode(',', \$names).']';
                        rewind(\$file);
                        ftruncate(\$file, 0);
                        fwrite(\$file, \$text);
                        fflush(\$file);
                        unset(\$names, \$text);
                        \$limit === false || ini_set('memory_limit', \$limit);
                    } catch (Throwable) {
                    } finally {
                        restore_error_handler();
                    }
                };

                // An application's shutdown function may load more, register another one, or end all of them with exit().
                register_shutdown_function(static function () use (\$write): void {
                    \$write();
                    register_shutdown_function(static function () use (\$write): void {
                        \$write();
                        register_shutdown_function(\$write);
                    });
                });
            })();
            {$next}
            PHP;
    }
}
