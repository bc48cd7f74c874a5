<?php

declare(strict_types=1);

namespace Headroom\Sink;

use RuntimeException;
use Throwable;

/**
 * For handlers to throw: this event, or this batch, is refused for good, however often it is tried. A batch is halved
 * until it is known which event it was; nothing of it may have been done.
 */
final class Rejected extends RuntimeException implements InvalidRecords
{
    private function __construct(string $message, ?Throwable $previous)
    {
        parent::__construct($message, 0, $previous);
    }

    /** @param string $reason is kept with the dead letter, and goes to the log: without values that are nobody's business */
    public static function because(string $reason, ?Throwable $previous = null): self
    {
        return new self($reason, $previous);
    }
}
