<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Sink\Delivery;
use Headroom\Sink\DetectsOpenTransactions;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Sink\SingleEventSink;
use Headroom\Sink\Sink;
use Headroom\Sink\SinkFactory;
use Headroom\Spool\BucketConfig;
use Headroom\Support\InvalidConfig;
use Throwable;

/**
 * Creates each bucket's sink on first use, and delivers to sinks.
 *
 * @internal
 */
final class SinkRegistry
{
    /** @var array<string, Sink> by bucket */
    private array $made = [];

    public function __construct(private readonly SinkFactory $factory) {}

    /** @throws InvalidConfig */
    public function of(BucketConfig $bucket): Sink
    {
        return $this->made[$bucket->name] ??= $this->make($bucket);
    }

    private function make(BucketConfig $bucket): Sink
    {
        $sink = $bucket->hasNoSink()
            ? new MissingSink($bucket->name)
            : $this->factory->make($bucket->sink, $bucket->options);

        // A failed batch does not show which event made it fail.
        return $bucket->tries === null || ($sink instanceof SingleEventSink && ! $sink instanceof ExactlyOnce)
            ? $sink
            : throw InvalidConfig::notAllowed(
                "{$bucket->options->path}.tries",
                $bucket->tries,
                "left out: the sink '{$bucket->sink}' takes events in batches, and tries are counted per event",
            );
    }

    /**
     * All deliveries to sinks pass here: of flushes, of callbacks, and of events that bypass the buffer.
     *
     * @throws Throwable the sink's failure, or TransactionLeftOpen
     */
    public function deliver(Sink $sink, Delivery $delivery): void
    {
        $end = $this->factory instanceof DetectsOpenTransactions
            ? $this->factory->watch()
            : static fn (): ?string => null;
        $refusal = null;

        try {
            $sink->deliver($delivery);
        } catch (PartialBatchFailure $e) {
            // The other records have arrived, so open transactions are looked for before this exception is thrown.
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
            // The caller reports the sink's failure.
        }
    }

    /** Returns a copy with another sink for this bucket. */
    public function with(BucketConfig $bucket, Sink $sink): self
    {
        $copy = clone $this;
        $copy->made[$bucket->name] = $sink;

        return $copy;
    }
}
