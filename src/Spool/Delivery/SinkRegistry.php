<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Sink\DetectsOpenTransactions;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\SingleEventSink;
use Headroom\Sink\Sink;
use Headroom\Sink\SinkFactory;
use Headroom\Spool\BucketConfig;
use Headroom\Support\InvalidConfig;

/**
 * Each bucket's sink, made when it is first needed.
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
        $sink = $bucket->hasNoSink() ? new MissingSink($bucket->name) : $this->factory->make($bucket->sink, $bucket->options);

        // Of a batch nobody knows which event it was.
        return $bucket->tries === null || ($sink instanceof SingleEventSink && ! $sink instanceof ExactlyOnce)
            ? $sink
            : throw InvalidConfig::notAllowed("{$bucket->options->path}.tries", $bucket->tries, "left out: the sink '{$bucket->sink}' takes events by the batch, and tries are counted for a single one");
    }

    public function handover(): SinkInvoker
    {
        return new SinkInvoker($this->factory instanceof DetectsOpenTransactions ? $this->factory : null);
    }

    /** The same, but for this bucket's. */
    public function with(BucketConfig $bucket, Sink $sink): self
    {
        $copy = clone $this;
        $copy->made[$bucket->name] = $sink;

        return $copy;
    }
}
