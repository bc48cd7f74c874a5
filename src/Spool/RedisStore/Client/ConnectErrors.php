<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

use Closure;

/**
 * Collects PHP's TLS warnings while a connection is opened. PHP reports the reason of a TLS failure only as a warning.
 * An application's error handler would throw it, and the exception would bypass the code that handles an unreachable
 * Redis.
 *
 * @internal
 */
final class ConnectErrors
{
    /** @var list<string> */
    private array $warnings = [];

    /**
     * @template TResult
     *
     * @param Closure(): TResult $connect
     * @return TResult
     */
    public function collect(Closure $connect): mixed
    {
        set_error_handler(function (int $level, string $message): bool {
            if (preg_match('/SSL|certificate/', $message) === 1) {
                $this->warnings[] = (string) preg_replace(['/^\S+\(\): /', '/\s+/'], ['', ' '], $message);
            }

            return true;
        });

        try {
            return $connect();
        } finally {
            restore_error_handler();
        }
    }

    /** @return string the library's message, with the warnings that explain it */
    public function reason(string $message): string
    {
        return $this->warnings === [] ? $message : rtrim($message, '. ').' ('.implode('; ', $this->warnings).')';
    }
}
