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
 * Each bucket's sink, made when it is first needed, and the way to it.
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

        // Of a batch nobody knows which event it was.
        return $bucket->tries === null || ($sink instanceof SingleEventSink && ! $sink instanceof ExactlyOnce)
            ? $sink
            : throw InvalidConfig::notAllowed(
                "{$bucket->options->path}.tries",
                $bucket->tries,
                "left out: the sink '{$bucket->sink}' takes events by the batch, and tries are counted for a single one",
            );
    }

    /**
     * Every sink gets its events here: from a flush, from a callback, past the buffer.
     *
     * @throws Throwable the sink's failure, or that it left a transaction open
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
            // The caller has the sink's failure to report.
        }
    }

    /** The same, but for this bucket's. */
    public function with(BucketConfig $bucket, Sink $sink): self
    {
        $copy = clone $this;
        $copy->made[$bucket->name] = $sink;

        return $copy;
    }
}
