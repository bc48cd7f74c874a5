<?php

declare(strict_types=1);

namespace Headroom\Sink\Callback;

use Headroom\Core\Retryable;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class HandlerFailed extends RuntimeException implements Retryable, UnableToDeliver
{
    /** An event that can never be handled is refused by Headroom\Sink\Rejected; whatever else is thrown may be over soon. */
    public static function with(string $handler, Throwable $failure): self
    {
        $at = basename($failure->getFile()).":{$failure->getLine()}";

        return new self(TerminalText::line("{$handler} failed with ".$failure::class." at {$at}: {$failure->getMessage()}"), 0, $failure);
    }
}
