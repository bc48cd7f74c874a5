<?php

declare(strict_types=1);

namespace Headroom\Support;

use Closure;

/**
 * A call of a file function, and the kernel's reason when it fails.
 *
 * error_get_last() does not tell inside an application: a handler that returns, as Laravel's does for what @ silences,
 * keeps PHP from remembering the message.
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
                // What fopen() says after that is less.
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
     * Why a call failed that was made without this, for a hot path's sake: by making it again.
     *
     * @param Closure(): mixed $call harmless when it succeeds now
     */
    public static function reason(Closure $call): string
    {
        $reason = '';
        self::run($call, $reason);

        return $reason;
    }
}
