<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\InvalidConfig;
use Headroom\Sink\Sink;
use Headroom\Sink\SinkFactory;
use Headroom\Spool\Callback\WithoutSink;

/**
 * Each bucket's sink, made when it is first needed.
 *
 * @internal
 */
final class Sinks
{
    /** @var array<string, Sink> by bucket */
    private array $made = [];

    public function __construct(private readonly SinkFactory $factory) {}

    /** @throws InvalidConfig */
    public function of(BucketConfig $bucket): Sink
    {
        return $this->made[$bucket->name] ??= $bucket->hasNoSink() ? new WithoutSink($bucket->name) : $this->factory->make($bucket->sink, $bucket->options);
    }

    /** The same, but for this bucket's. */
    public function with(BucketConfig $bucket, Sink $sink): self
    {
        $copy = clone $this;
        $copy->made[$bucket->name] = $sink;

        return $copy;
    }
}
