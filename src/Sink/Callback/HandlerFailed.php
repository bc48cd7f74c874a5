<?php

declare(strict_types=1);

namespace Headroom\Sink\Callback;

use Headroom\Core\Retryable;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * The application's handler threw an exception.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class HandlerFailed extends RuntimeException implements Retryable, UnableToDeliver
{
    /**
     * A handler throws Headroom\Sink\Rejected for an event that it can never handle. The flusher retries after any
     * other exception.
     *
     * @param string $message of the failure, without the values of a query
     */
    public static function with(string $handler, Throwable $failure, string $message): self
    {
        $at = basename($failure->getFile()).":{$failure->getLine()}";

        return new self(
            TerminalText::line("{$handler} failed with ".$failure::class." at {$at}: {$message}"),
            0,
            $failure,
        );
    }
}
