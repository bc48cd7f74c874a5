<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Closure;
use Headroom\Core\Batch;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Events\BatchFlushed;
use Headroom\Spool\Exceptions\SinkRejectsEverything;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\Replicated;
use Headroom\Spool\UnableToFlush;
use Throwable;

/**
 * Passes the deliveries of one flush to its strategy, one after the other.
 *
 * A refused event does not become a dead letter at once. It waits until the sink has accepted another event: the next
 * one in turn, or a probe. A sink that refuses everything is at fault itself, so no event becomes a dead letter:
 * docs/adr/0025.
 *
 * @internal
 */
final class DeliveryRun
{
    /** Number of consecutive refusals after which the sink is probed. */
    private const MAX_REFUSALS_IN_A_ROW = 50;

    /**
     * Limit of consecutive events that become dead letters because the sink accepts earlier events again. After that,
     * the sink must accept a waiting event.
     */
    private const MAX_REFUSALS_ON_OLD_PROBE = 1_000;

    /**
     * A sink without probes may refuse MOST_IN_A_ROW events in a row. Each failed flush doubles that number, at most
     * this many times.
     */
    private const MAX_DOUBLINGS = 5;

    /** @var list<RejectedEvent> in the order of the log; no event after them was accepted yet */
    private array $rejected = [];

    /** @var int<0, max> how many of these have a dead letter already */
    private int $written = 0;

    /** @var int<0, max> how many of them count against the sink; events that were dead before do not count */
    private int $newRefusals = 0;

    /** Whether the sink has accepted an event in this flush. */
    private bool $hasAccepted = false;

    /** @param ?SinkProbe $probe null for a sink that cannot be probed */
    public function __construct(
        private readonly DeliveryStrategy $strategy,
        private readonly ConsumerLease $lease,
        private readonly BucketConfig $bucket,
        private readonly Clock $clock,
        private readonly FlushReport $report,
        private readonly FlushOptions $options,
        private readonly ?SinkProbe $probe = null,
    ) {}

    public function hasAccepted(): bool
    {
        return $this->hasAccepted;
    }

    /** Returns the start of the range in which the delivery would be sent. */
    public function from(Delivery $delivery): Position
    {
        return $this->rejected[0]->from ?? $delivery->from;
    }

    /** @throws Throwable */
    public function deliver(Delivery $batch): void
    {
        $this->deliverSingle($batch);
        $this->probe?->rememberAccepted($batch);
    }

    /**
     * @param ?Closure(): ?Delivery $next returns the delivery that follows; called once this one has arrived
     *
     * @throws Throwable
     */
    public function deliverSingle(Delivery $single, ?Closure $next = null): void
    {
        $this->writeLetters();
        $this->send($this->withRejected($single), $next);
    }

    private function withRejected(Delivery $delivery): Delivery
    {
        if ($this->rejected === []) {
            return $delivery;
        }

        $from = $this->from($delivery);

        return new Delivery($delivery->source, $from, $delivery->to, $delivery->batch, count($this->rejected));
    }

    /** @throws HeadroomException */
    public function reject(RejectedEvent $event): void
    {
        $this->rejected[] = $event;

        if (! $event->isNewRefusal) {
            $this->refuseToBuryUnreadable($event);

            return;
        }

        $this->newRefusals++;
        $most = self::MAX_REFUSALS_IN_A_ROW;

        if ($this->probe === null && ! $this->options->buryAll) {
            $most <<= min(self::MAX_DOUBLINGS, $this->lease->state()->retry->attempts ?? 0);
        }

        if (($this->probe === null ? $this->inRow() : $this->newRefusals) >= $most) {
            $this->finish();
        }
    }

    /**
     * Called when no event follows that could show whether the sink accepts anything.
     *
     * @throws HeadroomException
     */
    public function finish(): void
    {
        if ($this->rejected === []) {
            return;
        }

        $inRow = $this->inRow();

        if ($this->newRefusals > 0 && ! $this->options->buryAll) {
            $this->refuseToBuryAll($inRow);
        }

        $this->writeLetters();
        [$from, $to] = [$this->rejected[0]->from, $this->rejected[count($this->rejected) - 1]->end];
        $this->send(new Delivery($this->lease->source(), $from, $to, Batch::of([]), count($this->rejected)));

        $this->hasAccepted = false;

        // With --bury the operator has declared the events bad, so the count starts again.
        if ($inRow > 0) {
            $this->lease->save($this->lease->state()->refused($this->options->buryAll ? 0 : $inRow));
        }
    }

    /** Saves the refusals. If the next event fails, the refused events are then not sent again. */
    public function finishQuietly(): void
    {
        try {
            $this->finish();
        } catch (Throwable) {
            // The events are sent again. The caller reports a failure of its own.
        }
    }

    /** @throws UnableToFlush when the sink is, or may be, at fault */
    private function refuseToBuryAll(int $inRow): void
    {
        $last = $this->rejected[count($this->rejected) - 1];
        $isMany = $inRow > self::MAX_REFUSALS_ON_OLD_PROBE;

        // A sink that stores its probes is not probed when it has accepted an event in this flush.
        $isShown = $this->hasAccepted && $this->probe?->isRolledBack() !== true;

        if ($this->probe !== null && ! $isShown && ! $this->probe->acceptsAnything(isOfNow: $isMany)) {
            $reason = FailureReason::ofDeath($last->reason, FailureReason::SHORT_BYTES);

            throw $isMany
                ? SinkRejectsEverything::sinceDeadLetters($this->bucket->name, $inRow - $this->newRefusals, $reason)
                : $this->sinkAtFault($last->reason);
        }

        if ($this->probe === null && $inRow >= self::MAX_REFUSALS_IN_A_ROW) {
            throw $this->everythingRefused($inRow, $last);
        }
    }

    /** Fifty consecutive lines that are not events show a fault of the log, not of the sink. */
    private function refuseToBuryUnreadable(RejectedEvent $event): void
    {
        if (! $event->isUnreadable || $this->options->buryAll) {
            return;
        }

        $unreadable = count(array_filter($this->rejected, static fn (RejectedEvent $it): bool => $it->isUnreadable));

        if ($unreadable >= self::MAX_REFUSALS_IN_A_ROW) {
            throw $this->everythingRefused($unreadable, $event);
        }
    }

    private function everythingRefused(int $inRow, RejectedEvent $last): UnableToFlush
    {
        $reason = FailureReason::of($last->reason, FailureReason::SHORT_BYTES);

        return SinkRejectsEverything::inARow($this->bucket->name, $inRow, $last->position->toString(), $reason);
    }

    public function sinkAtFault(mixed $reason): UnableToFlush
    {
        $reason = FailureReason::ofDeath($reason, FailureReason::SHORT_BYTES);

        return SinkRejectsEverything::everyProbe($this->bucket->name, $this->probe?->probes() ?? 0, $reason);
    }

    /** @return int<0, max> */
    private function inRow(): int
    {
        return $this->lease->state()->refusedInRow + $this->newRefusals;
    }

    /**
     * @param ?Closure(): ?Delivery $next
     *
     * @throws HeadroomException
     */
    private function send(Delivery $delivery, ?Closure $next = null): void
    {
        if ($this->lease instanceof Replicated) {
            $this->lease->secure($delivery->to);
        }

        $notify = $this->options->notify;
        $start = $this->clock->monotonicNanos();
        // A listener may end the process. The next event must not count as begun before the listener has returned.
        $refused = $this->strategy->deliver($delivery, $notify === null ? $next : null);
        // Events without a reason were dead before.
        $dying = array_filter($this->rejected, static fn (RejectedEvent $event): bool => $event->reason !== null);
        $this->report->dead += $refused + count($dying);
        $this->rejected = [];
        $events = count($delivery->batch);
        $taken = $events - $refused;
        $this->hasAccepted = $this->hasAccepted || $taken > 0;
        [$this->written, $this->newRefusals] = [0, 0];
        $this->report->delivered += $taken;
        $this->report->batches += $events > 0 ? 1 : 0;
        $this->options->watch?->__invoke($delivery);
        $nanos = $this->clock->monotonicNanos() - $start;

        if ($taken > 0) {
            $this->options->history?->batch(
                $this->bucket->name,
                $taken,
                $nanos,
                static fn (): int => $delivery->batch->slice(0, 1)->record(0)->acceptedAt,
            );
        }

        if ($notify !== null && $taken > 0) {
            $notify(new BatchFlushed(
                $this->bucket->name,
                $taken,
                $delivery->from->toString(),
                $delivery->to->toString(),
                $nanos / 1_000_000_000,
            ));
        }
    }

    /** @throws UnableToFlush */
    private function writeLetters(): void
    {
        // Writes each letter once: with --bury there may be thousands before the sink accepts an event.
        for (; $this->written < count($this->rejected); $this->written++) {
            $event = $this->rejected[$this->written];

            if ($event->reason !== null) {
                $writer = new DeadLetterWriter($this->lease, $this->bucket, $this->clock, $this->report);
                $writer->write($event->position, $event->reason);
            }
        }
    }
}
