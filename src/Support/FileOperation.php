<?php

declare(strict_types=1);

namespace Headroom\Support;

use Closure;

/**
 * Runs a file function and captures the kernel's reason if it fails.
 *
 * error_get_last() does not work inside an application: if an error handler returns, as Laravel's does for errors that
 * @ silences, PHP does not record the message.
 *
 * @internal
 */
final readonly class FileOperation
{
    /**
     * @template TResult
     *
     * @param Closure(): TResult $call
     *
     * @param-out string $reason
     *
     * @return TResult
     */
    public static function run(Closure $call, ?string &$reason = null): mixed
    {
        $reason = 'unknown reason';

        set_error_handler(static function (int $level, string $message) use (&$reason): bool {
            if (str_contains($message, 'open_basedir')) {
                $reason = (string) preg_replace('/\A\w+\([^)]*\): /', '', $message);
            } elseif (! str_contains($reason, 'open_basedir')) {
                // After the open_basedir warning, fopen() adds a second, less precise one.
                $colon = strrpos($message, ': ');
                $reason = $colon === false ? $message : substr($message, $colon + 2);
            }

            return true;
        });

        try {
            return $call();
        } finally {
            restore_error_handler();
        }
    }

    /**
     * Finds the reason of a failed call by repeating it. A hot path makes its calls without run(), and calls this
     * method only after a failure.
     *
     * @param Closure(): mixed $call must do no harm if it succeeds now
     */
    public static function reason(Closure $call): string
    {
        $reason = '';
        self::run($call, $reason);

        return $reason;
    }
}
