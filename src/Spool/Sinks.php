<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\InvalidConfig;
use Headroom\Sink\Sink;
use Headroom\Sink\SinkFactory;

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
        return $this->made[$bucket->name] ??= $this->factory->make($bucket->sink, $bucket->options);
    }
}
