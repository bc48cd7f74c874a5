<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Spool\Loss;
use Headroom\Spool\UnableToFlush;
use Throwable;

/**
 * What one flush of one bucket did.
 *
 * @internal
 */
final class FlushReport
{
    public int $delivered = 0;

    public int $batches = 0;

    /** Strings that were not UTF-8 and lost their broken bytes. */
    public int $replaced = 0;

    /** Another process is flushing this bucket. */
    public bool $busy = false;

    /** The limit was reached before the end of the log. */
    public bool $more = false;

    public ?Throwable $failure = null;

    /** @var array<string, Loss> by place */
    public array $losses = [];

    public function __construct(public readonly string $bucket) {}

    /** A slot that can not be opened holds nothing else up. */
    public function isDelivered(): bool
    {
        return $this->failure === null || ($this->failure instanceof UnableToFlush && $this->failure->isPartial);
    }

    public function saw(Loss $loss): void
    {
        $this->losses[$loss->position->toString()] = $loss;
    }

    public function failed(Throwable $failure): void
    {
        $this->failure = $failure;
    }
}
