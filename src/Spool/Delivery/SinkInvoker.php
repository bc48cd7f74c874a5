<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Sink\Delivery;
use Headroom\Sink\DetectsOpenTransactions;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Sink\Sink;
use Throwable;

/**
 * The moment at which a sink has the events, whichever it is: of a flush, of a callback, past the buffer.
 *
 * @internal
 */
final readonly class SinkInvoker
{
    public function __construct(private ?DetectsOpenTransactions $watcher = null) {}

    /** @throws Throwable what the sink throws, or that it left a transaction open */
    public function deliver(Sink $sink, Delivery $delivery): void
    {
        $end = $this->watcher?->watch() ?? static fn (): ?string => null;
        $refusal = null;

        try {
            $sink->deliver($delivery);
        } catch (PartialBatchFailure $e) {
            // It says that the others have arrived.
            $refusal = $e;
        } catch (Throwable $e) {
            $this->endQuietly($end);

            throw $e;
        }

        $open = $end();

        if ($open !== null) {
            throw TransactionLeftOpen::on($open, $delivery->source->bucket, $refusal);
        }

        if ($refusal !== null) {
            throw $refusal;
        }
    }

    /** @param callable(): ?string $end */
    private function endQuietly(callable $end): void
    {
        try {
            $end();
        } catch (Throwable) {
            // The failure that is on its way is the one to be told.
        }
    }
}
