<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Spool\Exceptions\PartiallyFlushed;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\Store\RetryState;
use Throwable;

/**
 * What one flush of one bucket did.
 *
 * @internal
 */
final class FlushReport
{
    public int $delivered = 0;

    /** Set aside as dead letters. */
    public int $dead = 0;

    /** Why the first of these was refused. */
    public ?string $firstDeath = null;

    public int $batches = 0;

    /** Strings that were not UTF-8 and lost their broken bytes. */
    public int $replaced = 0;

    /** Another process is flushing this bucket. */
    public bool $busy = false;

    /** Somebody has asked for it not to be delivered for now; what was delivered before that is in the numbers. */
    public bool $paused = false;

    /** The limit was reached before the end of the log. */
    public bool $more = false;

    /**
     * When the bucket's rate lets it go on, microseconds since the Unix epoch; null when that is not what stopped it.
     */
    public ?int $goesOnAt = null;

    public ?Throwable $failure = null;

    /** An earlier flush failed, and it is too soon to try again. */
    public ?RetryState $waiting = null;

    /** What this flush's failure was noted as; null also where nothing could be noted. */
    public ?RetryState $trouble = null;

    /** What an earlier process was noted for that ended while it delivered. */
    public ?RetryState $interrupted = null;

    /** What an earlier flush had left undone, as it was noted; false where that was not looked up. */
    public string|false|null $left = false;

    /** What is over now. */
    public ?RetryState $recovered = null;

    /** @var array<string, MissingRange> each once, however often the flush met it */
    public array $losses = [];

    /** Events that had been delivered and are delivered once more, since the sink's database was restored. */
    public int $again = 0;

    public function __construct(public readonly string $bucket) {}

    /** A slot that can not be opened holds nothing else up. */
    public function isDelivered(): bool
    {
        return $this->failure === null || $this->failure instanceof PartiallyFlushed;
    }

    /** Why it failed; null when it did not. */
    public function reason(): ?string
    {
        return $this->failure === null ? null : FailureReason::of($this->failure);
    }

    public function saw(MissingRange $loss): void
    {
        $this->losses["{$loss->position->toString()}: {$loss->message}"] = $loss;
    }

    public function failed(Throwable $failure): void
    {
        $this->failure = $failure;
    }
}
