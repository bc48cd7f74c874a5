<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Core\Retryable;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * A sink, a handler or a callback has ended with less done than it says.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class TransactionLeftOpen extends RuntimeException implements Retryable, UnableToDeliver
{
    public static function on(string $connection, string $bucket, ?Throwable $refusal): self
    {
        return new self(TerminalText::line("What takes the events of bucket '{$bucket}' returned with a transaction open on the connection '{$connection}', which was rolled back: what was done in it would have been lost with the process. Nothing of it is counted as delivered, and the same events come again. Commit it, best with DB::transaction()."), 0, $refusal);
    }
}
