<?php

declare(strict_types=1);

namespace Headroom\Sink;

use RuntimeException;
use Throwable;

/**
 * A handler throws it for an event or a batch that it will never take. The flusher bisects a batch to find the event,
 * so a handler that rejects a batch must not have handled any of it.
 */
final class Rejected extends RuntimeException implements InvalidRecords
{
    private function __construct(string $message, ?Throwable $previous)
    {
        parent::__construct($message, 0, $previous);
    }

    /** @param string $reason goes to the dead letter and to the log, so it must not contain confidential values */
    public static function because(string $reason, ?Throwable $previous = null): self
    {
        return new self($reason, $previous);
    }
}
