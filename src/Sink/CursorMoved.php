<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Retryable;
use RuntimeException;

/**
 * The ledger is not at the start of the delivery: another flusher has delivered the range, or this one has and lost the
 * reply. This call delivered nothing. Read the ledger and continue from its position.
 */
final class CursorMoved extends RuntimeException implements Retryable
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function before(Delivery $delivery): self
    {
        return new self("The ledger for {$delivery->source->toString()} is no longer at {$delivery->from->toString()}: that range was delivered by another flusher, or by this one before a reply was lost.");
    }

    public static function from(Source $source, Progress $from): self
    {
        return new self("The ledger for {$source->toString()} is no longer at {$from->position->toString()}: something was delivered meanwhile. Try again.");
    }
}
