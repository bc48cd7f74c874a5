<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Core\Retryable;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\TerminalText;
use RuntimeException;
use Throwable;

/**
 * A sink, a handler or a callback returned without committing its transaction.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class TransactionLeftOpen extends RuntimeException implements Retryable, UnableToDeliver
{
    public static function on(string $connection, string $bucket, ?Throwable $refusal): self
    {
        return new self(TerminalText::line("The sink of bucket '{$bucket}' returned with an open transaction on"
            ." connection '{$connection}', which was rolled back, so"
            .' the same events come again. Commit the transaction, for example with DB::transaction().'), 0, $refusal);
    }
}
