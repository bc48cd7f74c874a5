<?php

declare(strict_types=1);

namespace Headroom\Testing;

use Headroom\Core\Retryable;
use Headroom\Spool\UnableToFlush;
use RuntimeException;

/**
 * @internal
 */
final class SimulatedFlushFailure extends RuntimeException implements Retryable, UnableToFlush
{
    public static function ofTest(): self
    {
        return new self('failNextFlush() made this flush fail. Its events are still in the buffer.');
    }
}
