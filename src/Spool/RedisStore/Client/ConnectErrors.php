<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

use Closure;

/**
 * Opens a connection. What TLS has against it PHP only warns of, and an application's error handler would throw that past
 * whoever knows what to do without Redis.
 *
 * @internal
 */
final class ConnectErrors
{
    /** @var list<string> */
    private array $objections = [];

    /**
     * @template TResult
     *
     * @param Closure(): TResult $connect
     * @return TResult
     */
    public function make(Closure $connect): mixed
    {
        set_error_handler(function (int $level, string $message): bool {
            if (preg_match('/SSL|certificate/', $message) === 1) {
                $this->objections[] = (string) preg_replace(['/^\S+\(\): /', '/\s+/'], ['', ' '], $message);
            }

            return true;
        });

        try {
            return $connect();
        } finally {
            restore_error_handler();
        }
    }

    /** @return string the library's words, and what it does not say */
    public function reason(string $words): string
    {
        return $this->objections === [] ? $words : rtrim($words, '. ').' ('.implode('; ', $this->objections).')';
    }
}
