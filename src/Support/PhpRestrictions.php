<?php

declare(strict_types=1);

namespace Headroom\Support;

use Closure;
use Error;
use Throwable;

/**
 * What a host may forbid PHP: functions (disable_functions) and looks at paths (open_basedir). A call of the former is an
 * Error, which @ does not silence; the latter are warnings, which Laravel makes exceptions. What may not be looked at is unknown.
 *
 * @internal
 */
final readonly class PhpRestrictions
{
    private const WARNING = 'open_basedir restriction in effect';

    /**
     * @phpstan-impure
     *
     * @return mixed what the function returns, without its warnings; null where it is switched off
     */
    public static function call(string $function, mixed ...$arguments): mixed
    {
        return is_callable($function) ? @$function(...$arguments) : null;
    }

    /** @return int 0 where no function tells */
    public static function pid(): int
    {
        $pid = self::call('getmypid') ?? self::call('posix_getpid');

        return is_int($pid) ? $pid : 0;
    }

    /**
     * Within it a look of this package at a path outside of open_basedir finds nothing, instead of a warning. The
     * application's own warnings stay what they are.
     *
     * @template TResult
     *
     * @param Closure(): TResult $call
     * @return TResult
     *
     * @throws UnableToCall
     * @throws Throwable what the call throws
     */
    public static function within(Closure $call): mixed
    {
        $previous = null;
        $previous = set_error_handler(static function (int $level, string $message, string $file, int $line) use (&$previous): mixed {
            return (str_contains($message, self::WARNING) && str_starts_with($file, dirname(__DIR__))) || ($previous !== null && $previous($level, $message, $file, $line) !== false);
        });

        try {
            return $call();
        } catch (Error $e) {
            throw UnableToCall::behind($e);
        } finally {
            restore_error_handler();
        }
    }

    /** Whether open_basedir keeps PHP from knowing what lies there. */
    public static function hide(string $path): bool
    {
        return str_contains(FileOperation::reason(static fn (): bool => file_exists($path)), self::WARNING);
    }
}
