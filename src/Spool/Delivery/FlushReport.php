<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Spool\Exceptions\PartiallyFlushed;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\Store\State\RetryState;
use Throwable;

/**
 * The result of one flush of one bucket.
 *
 * @internal
 */
final class FlushReport
{
    public int $delivered = 0;

    /** Events that became dead letters. */
    public int $dead = 0;

    /** Why the first of these was refused. */
    public ?string $firstDeath = null;

    public int $batches = 0;

    /** Strings with invalid UTF-8, whose invalid bytes were replaced. */
    public int $replaced = 0;

    /** Another process is flushing this bucket. */
    public bool $busy = false;

    /** The bucket is paused. Events that were delivered before the pause are counted. */
    public bool $paused = false;

    /** The limit was reached before the end of the log. */
    public bool $hasMore = false;

    /**
     * When the rate limit lets events pass again, microseconds since the Unix epoch; null when the rate limit did not
     * stop the flush.
     */
    public ?int $nextTokenAt = null;

    public ?Throwable $failure = null;

    /** An earlier flush failed, and it is too soon to try again. */
    public ?RetryState $waiting = null;

    /** The saved failure of this flush; null also when it could not be saved. */
    public ?RetryState $retry = null;

    /** The saved interruption of an earlier process, which ended during a delivery. */
    public ?RetryState $interrupted = null;

    /** The partial failure that an earlier flush saved; false when it was not read. */
    public string|false|null $partialFailure = false;

    /** The failure of earlier flushes that this flush has ended. */
    public ?RetryState $recovered = null;

    /** @var array<string, MissingRange> without repetitions */
    public array $losses = [];

    /** Events delivered after the backup from which the sink's database was restored. */
    public int $redelivered = 0;

    public function __construct(public readonly string $bucket) {}

    /** Also true when the flush has left out only segments that it could not seal. */
    public function isDelivered(): bool
    {
        return $this->failure === null || $this->failure instanceof PartiallyFlushed;
    }

    /** Why it failed; null when it did not. */
    public function reason(): ?string
    {
        return $this->failure === null ? null : FailureReason::of($this->failure);
    }

    public function addLoss(MissingRange $loss): void
    {
        $this->losses["{$loss->position->toString()}: {$loss->message}"] = $loss;
    }

    public function failed(Throwable $failure): void
    {
        $this->failure = $failure;
    }
}
