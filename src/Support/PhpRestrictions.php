<?php

declare(strict_types=1);

namespace Headroom\Support;

use Closure;
use Error;
use Throwable;

/**
 * Works around what a host may forbid: functions (disable_functions) and paths (open_basedir).
 *
 * Calling a disabled function throws an Error, which @ does not silence. A forbidden path causes a warning, which
 * Laravel turns into an exception; whether the path exists stays unknown.
 *
 * @internal
 */
final readonly class PhpRestrictions
{
    private const WARNING = 'open_basedir restriction in effect';

    /**
     * @phpstan-impure
     *
     * @return mixed result of the function, without its warnings; null if the function is disabled
     */
    public static function call(string $function, mixed ...$arguments): mixed
    {
        return is_callable($function) ? @$function(...$arguments) : null;
    }

    /** @return int 0 if the host disables both functions */
    public static function pid(): int
    {
        $pid = self::call('getmypid') ?? self::call('posix_getpid');

        return is_int($pid) ? $pid : 0;
    }

    /**
     * Runs the closure so that this package sees no file at a path outside open_basedir, instead of a warning.
     * Warnings of the application stay unchanged.
     *
     * @template TResult
     *
     * @param Closure(): TResult $call
     * @return TResult
     *
     * @throws UnableToCall
     * @throws Throwable from the closure
     */
    public static function within(Closure $call): mixed
    {
        $previous = null;
        $previous = set_error_handler(static function (
            int $level,
            string $message,
            string $file,
            int $line,
        ) use (&$previous): mixed {
            return (str_contains($message, self::WARNING) && str_starts_with($file, dirname(__DIR__)))
                || ($previous !== null && $previous($level, $message, $file, $line) !== false);
        });

        try {
            return $call();
        } catch (Error $e) {
            throw UnableToCall::behind($e);
        } finally {
            restore_error_handler();
        }
    }

    /** True if open_basedir hides the path from PHP. */
    public static function hide(string $path): bool
    {
        // Only an empty setting hides nothing. Where the host disables ini_get(), PHP has to try.
        return self::call('ini_get', 'open_basedir') !== ''
            && str_contains(FileOperation::reason(static fn (): bool => file_exists($path)), self::WARNING);
    }
}
