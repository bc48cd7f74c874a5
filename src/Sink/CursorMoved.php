<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Retryable;
use RuntimeException;

/**
 * The ledger is not at the start of the delivery: another flusher has delivered the range, or this flusher has
 * delivered it and lost the reply. This call delivered nothing. Read the ledger and continue from its position.
 */
final class CursorMoved extends RuntimeException implements Retryable
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function before(Delivery $delivery): self
    {
        return new self(
            "The ledger for {$delivery->source->toString()} is no longer at {$delivery->from->toString()}:"
                .' another flusher delivered that range, or this flusher delivered it and the reply was lost.',
        );
    }

    public static function from(Source $source, Progress $from): self
    {
        return new self(
            "The ledger for {$source->toString()} is no longer at {$from->position->toString()}:"
                .' events were delivered in the meantime. Try again.',
        );
    }
}
