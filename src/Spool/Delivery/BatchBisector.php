<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Core\HeadroomException;
use Headroom\Core\Permanent;
use Headroom\Core\Retryable;
use Headroom\Sink\CursorMoved;
use Headroom\Sink\Delivery;
use Headroom\Sink\InvalidRecords;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Sink\RetryLater;
use Headroom\Sink\UnableToDeliver;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\State\RetryState;
use Throwable;

/**
 * Finds the events that a sink refuses in a batch: it halves the batch, the earlier half first, until a single event is
 * left.
 *
 * @internal
 */
final class BatchBisector
{
    /** Whether this flush has rejected an event whose failure may be temporary. A flush rejects at most one. */
    private bool $hasMomentary = false;

    /** @param ?SinkProbe $probe null for a sink that cannot be probed */
    public function __construct(
        private readonly DeliveryRun $run,
        private readonly DeliveryStrategy $strategy,
        private readonly ConsumerLease $lease,
        private readonly FlushOptions $options,
        private readonly ?SinkProbe $probe = null,
    ) {}

    /**
     * @param ?Throwable $whole the failure of the batch that this one is a part of
     *
     * @throws Throwable
     */
    public function refused(Delivery $batch, UnableToDeliver $failure, ?Throwable $whole = null): void
    {
        if ($failure instanceof PartialBatchFailure) {
            // No record of this batch has arrived.
            foreach ($batch->singles() as $number => $single) {
                $this->run->reject(RejectedEvent::of($single, $failure->refused()[$number] ?? $failure));
            }
        } elseif ($this->mayBeOfEvents($failure, $whole)) {
            $this->search($batch, $failure, $whole !== null);
        } else {
            throw $failure;
        }
    }

    /**
     * Handles a failure of a sink that takes one event at a time.
     *
     * @throws Throwable
     */
    public function refusedSingle(Delivery $single, Throwable $failure): void
    {
        if ($failure instanceof InvalidRecords || $failure instanceof PartialBatchFailure) {
            $reason = $failure instanceof PartialBatchFailure ? $failure->refused()[0] ?? $failure : $failure;
            $this->run->reject(RejectedEvent::of($single, $reason));

            if ($failure instanceof MaxAttemptsExceeded) {
                $this->run->finish();
            }
        } elseif ($this->options->buryAll && $this->mayBeOfEvents($failure)) {
            $this->rejectFailed($single, $failure);
        } else {
            $this->run->finishQuietly();

            throw $failure;
        }
    }

    /** @throws Throwable */
    private function search(Delivery $batch, Throwable $failure, bool $isPart): void
    {
        $isRefusal = $failure instanceof InvalidRecords;
        $half = max(0, intdiv(count($batch->batch), 2));

        $isTried = ! $isPart && $this->probe !== null && $this->isToBeTriedBefore($failure, $half);

        if ($isTried && ! $this->probe->acceptsAnything($batch)) {
            throw $isRefusal ? $this->run->sinkAtFault($failure) : $failure;
        }

        if ($half > 0) {
            $this->deliverPart($batch->slice(0, $half), $failure);
            $this->deliverPart($batch->slice($half, max(1, count($batch->batch) - $half)), $failure);
        } elseif ($isRefusal) {
            $this->run->reject(RejectedEvent::of($batch, $failure));
        } else {
            $this->rejectFailed($batch, $failure);
        }
    }

    /** @throws Throwable */
    private function deliverPart(Delivery $part, Throwable $whole): void
    {
        try {
            $this->run->deliver($part);
        } catch (UnableToDeliver $e) {
            $this->refused($part, $e, $whole);
        }
    }

    /**
     * Whether to probe the sink before the batch is halved. Halving also shows whether the sink accepts anything; it
     * takes longer, but sends no event out of turn.
     */
    private function isToBeTriedBefore(Throwable $failure, int $half): bool
    {
        if (! $failure instanceof InvalidRecords) {
            return ! $failure instanceof Permanent || ! $this->options->buryAll;
        }

        $isKnown = $half === 0 || $this->run->hasAccepted() || $this->options->buryAll;

        return ! $isKnown && $this->probe?->isRolledBack() === true;
    }

    /**
     * Whether a single event may cause the failure. A failure that may be temporary usually counts only after
     * RetryState::DOWN_AFTER attempts. A failure outside the sink never counts.
     */
    private function mayBeOfEvents(Throwable $failure, ?Throwable $whole = null): bool
    {
        return match (true) {
            $failure instanceof InvalidRecords => true,
            $this->probe === null && ! $this->options->buryAll => false,
            $failure instanceof RetryLater,
            $failure instanceof CursorMoved,
            $failure instanceof SinkContractViolated => false,
            $failure instanceof HeadroomException && ! $failure instanceof UnableToDeliver => false,
            $failure instanceof Retryable, $this->probe?->isRolledBack() !== true => $this->isOutOfPatience($whole),
            default => true,
        };
    }

    private function isOutOfPatience(?Throwable $whole): bool
    {
        $isPart = $whole !== null && ! $whole instanceof InvalidRecords;

        return $isPart
            || $this->options->buryAll
            || ($this->lease->state()->retry->attempts ?? 0) + 1 >= RetryState::DOWN_AFTER;
    }

    /**
     * Rejects at most one event per flush whose failure may be temporary. A database whose disk is full accepts small
     * rows and refuses large ones, and these must not all become dead letters at once.
     *
     * @throws Throwable
     */
    private function rejectFailed(Delivery $single, Throwable $failure): void
    {
        if ($this->hasMomentary && ! $failure instanceof Permanent) {
            $this->run->finishQuietly();

            throw $failure;
        }

        $this->hasMomentary = $this->hasMomentary || ! $failure instanceof Permanent;

        // If only the reply was lost, a ledger shows that the event has arrived.
        if (! $this->strategy->begin()->position->equals($this->run->from($single))) {
            throw $failure;
        }

        // Without a ledger this is unknown, and the event is not sent again.
        $this->lease->save($this->lease->state()->unplanned());
        $this->run->reject(RejectedEvent::of($single, $failure));
    }
}
