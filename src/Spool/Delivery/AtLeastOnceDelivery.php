<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Closure;
use Headroom\Core\Position;
use Headroom\Sink\BatchRejected;
use Headroom\Sink\Delivery;
use Headroom\Sink\InvalidRecords;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Sink\Progress;
use Headroom\Sink\RetryLater;
use Headroom\Sink\SingleEventSink;
use Headroom\Sink\Sink;
use Headroom\Sink\SyncsToDisk;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Exceptions\ConfigMismatch;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\State\Attempts;
use Headroom\Spool\Store\State\DeliveryState;
use Headroom\Spool\UnableToFlush;
use Throwable;

/**
 * The strategy for sinks without a ledger. It saves a range before it sends the range, so that after a crash the next
 * process sends the same range under the same id.
 *
 * @internal
 */
final class AtLeastOnceDelivery implements DeliveryStrategy
{
    /** End of a range that was saved in the same write as the result of the range before it. */
    private ?Position $announced = null;

    public function __construct(
        private readonly Sink $sink,
        private readonly SinkRegistry $sinks,
        private readonly ConsumerLease $lease,
        private readonly BucketConfig $bucket,
        private readonly DeadLetterWriter $letters,
        private readonly ?RateLimiter $rate = null,
    ) {}

    public function begin(): Progress
    {
        $state = $this->lease->state();
        $this->announced = null;

        if ($state->intent->to !== null && $state->intent->for !== $this->bucket->sinkFingerprint()) {
            throw ConfigMismatch::sinkChanged(
                $this->bucket->name,
                $state->intent->for,
                $this->bucket->sinkFingerprint(),
            );
        }

        return $state->progress;
    }

    public function resendUntil(): ?Position
    {
        return $this->lease->state()->intent->to;
    }

    public function deliver(Delivery $delivery, ?Closure $next = null): int
    {
        $delivery = $delivery->withChecksum($this->lease->checksum($this->lease->state()->progress, $delivery->to));

        if (count($delivery->batch) === 0) {
            $this->lease->save($this->lease->state()->delivered($delivery));

            return 0;
        }

        $wasBegun = false;

        if ($this->announced?->equals($delivery->to) !== true) {
            $wasBegun = $this->resendUntil() !== null;
            $this->refuseAfterMaxAttempts($delivery, $wasBegun);
            $this->lease->save($this->planning($this->lease->state(), $delivery));
        }

        $this->announced = null;
        $refused = $this->send($delivery, $wasBegun);

        if ($this->sink instanceof SyncsToDisk && ($this->lease->isSynced() || $this->bucket->durability->isSynced())) {
            $this->sink->sync();
        }

        $this->arrived($delivery, $refused, $next === null ? null : $next());

        return $refused;
    }

    /**
     * Takes the tokens of the rate limit and counts the attempt in the same write, because the process may end during
     * the attempt.
     */
    private function planning(DeliveryState $state, Delivery $delivery): DeliveryState
    {
        $state = $state->planning($delivery, $this->bucket->sinkFingerprint());
        $state = $this->rate?->take($state, count($delivery->batch)) ?? $state;

        return $this->limitsAttempts()
            ? $state->withTried(Attempts::next($state->tried, $delivery->batch->record(0)->position))
            : $state;
    }

    private function limitsAttempts(): bool
    {
        return $this->bucket->tries !== null && $this->sink instanceof SingleEventSink;
    }

    /** @throws MaxAttemptsExceeded */
    private function refuseAfterMaxAttempts(Delivery $delivery, bool $wasBegun): void
    {
        $tried = $this->lease->state()->tried;

        // The range is still announced, so the process ended during the last attempt: after any other failure the
        // attempt would have withdrawn the range.
        if (
            $wasBegun
            && $this->limitsAttempts()
            && $tried !== null
            && $tried->times >= $this->bucket->tries
            && $tried->position->equals($delivery->batch->record(0)->position)
        ) {
            $this->lease->save($this->lease->state()->unplanned());

            throw MaxAttemptsExceeded::withoutReturn($tried->times);
        }
    }

    /** Takes back the counted attempt, because the sink has answered and the handler did not fail. */
    private function uncounted(DeliveryState $state): DeliveryState
    {
        return $this->limitsAttempts() ? $state->withTried($state->tried?->before()) : $state;
    }

    /** @param int<0, max> $refused */
    private function arrived(Delivery $delivery, int $refused, ?Delivery $next): void
    {
        $state = $this->lease->state()->delivered($delivery, $refused);
        $this->lease->save($next === null ? $state : $this->planning($state, $next));
        $this->announced = $next?->to;
    }

    /**
     * @param bool $wasBegun the range was sent before and may have arrived
     * @return int<0, max> number of records that became dead letters
     *
     * @throws Throwable
     */
    private function send(Delivery $delivery, bool $wasBegun): int
    {
        try {
            $this->sinks->deliver(
                $this->sink,
                $this->sink instanceof SingleEventSink ? $this->withoutRefused($delivery) : $delivery,
            );

            return 0;
        } catch (InvalidRecords|BatchRejected $e) {
            // It is unknown whether a range that was sent before has arrived. Under another id it could arrive twice.
            $state = $this->uncounted($this->lease->state());
            $this->lease->save(! $wasBegun || $e instanceof InvalidRecords ? $state->unplanned() : $state);

            throw $e;
        } catch (PartialBatchFailure $e) {
            return $this->writeDeadLetters($delivery, $e);
        } catch (RetryLater $e) {
            // The failure says nothing about the event.
            if ($this->limitsAttempts()) {
                $this->lease->save($this->uncounted($this->lease->state()));
            }

            throw $e;
        } catch (Throwable $e) {
            throw $this->counted($e);
        }
    }

    /**
     * The range of a single event begins after the refused events before it. So the range has the same id in every
     * attempt.
     */
    private function withoutRefused(Delivery $delivery): Delivery
    {
        return $delivery->dead === 0
            ? $delivery
            : new Delivery(
                $delivery->source,
                $delivery->batch->record(0)->position,
                $delivery->to,
                $delivery->batch,
                checksum: $delivery->checksum,
            );
    }

    /**
     * Writes the dead letters first, because the next write moves the cursor past the whole range.
     *
     * @return int<0, max>
     *
     * @throws PartialBatchFailure when all records are refused, so that none has arrived
     */
    private function writeDeadLetters(Delivery $delivery, PartialBatchFailure $refusal): int
    {
        /** @var array<array-key, string> $refused a sink of the application may return any array */
        $refused = $refusal->refused();
        $count = count($delivery->batch);
        $strange = array_diff(array_keys($refused), range(0, $count - 1));

        if ($refused === [] || $strange !== []) {
            throw SinkContractViolated::numbers(
                $refusal,
                $strange === [] ? 'none of them' : 'number '.implode(', ', array_slice($strange, 0, 5)),
                $count,
            );
        }

        if (count($refused) === $count) {
            $this->lease->save($this->uncounted($this->lease->state())->unplanned());

            throw $refusal;
        }

        // Converts all reasons before the first letter is written, because the conversion of an object may throw.
        foreach (array_map(
            static fn (mixed $reason): string => FailureReason::ofDeath($reason),
            $refused,
        ) as $number => $reason) {
            $this->letters->write($delivery->batch->record(max(0, (int) $number))->position, $reason);
        }

        return count($refused);
    }

    /** @throws UnableToFlush */
    private function counted(Throwable $failure): Throwable
    {
        $tried = $this->lease->state()->tried;

        if (! $this->limitsAttempts() || $tried === null || $tried->times < $this->bucket->tries) {
            return $failure;
        }

        $this->lease->save($this->lease->state()->unplanned());

        return MaxAttemptsExceeded::times($tried->times, $failure);
    }
}
