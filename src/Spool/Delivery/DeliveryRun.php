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
use Headroom\Spool\Exceptions\SinkRejectsEverything;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\Replicated;
use Headroom\Spool\UnableToFlush;
use Throwable;

/**
 * Hands the deliveries of one flush to its strategy, one after the other.
 *
 * An event that was refused is not dead yet. It waits until the sink has taken another one: the next event in its turn,
 * or one that the sink is tried with. A sink that refuses everything has a fault of its own, and no event dies of it:
 * docs/adr/0025.
 *
 * @internal
 */
final class DeliveryRun
{
    /** Refused in a row, nothing taken in between: then the sink is asked whether it takes anything. */
    private const MOST_IN_A_ROW = 50;

    /** So many die in a row because the sink takes what it took before. Behind them it must take one that waits. */
    private const MOST_BY_THE_PAST = 1_000;

    /**
     * With each flush that fails, a sink that cannot be tried gets twice as many events before it is asked, so often.
     */
    private const MOST_DOUBLINGS = 5;

    /** @var list<RejectedEvent> in the order of the log, nothing taken behind them */
    private array $rejected = [];

    /** @var int<0, max> how many of these have their dead letter already */
    private int $written = 0;

    /** @var int<0, max> how many of them tell of the sink: not those that were dead before */
    private int $telling = 0;

    /** Whether the sink has taken something in this flush. */
    private bool $hasTaken = false;

    /** @param ?SinkProbe $probe null for a sink that cannot be tried */
    public function __construct(
        private readonly DeliveryStrategy $strategy,
        private readonly ConsumerLease $lease,
        private readonly BucketConfig $bucket,
        private readonly Clock $clock,
        private readonly FlushReport $report,
        private readonly FlushOptions $options,
        private readonly ?SinkProbe $probe = null,
    ) {}

    public function hasTaken(): bool
    {
        return $this->hasTaken;
    }

    /** Where the range begins that the delivery would be handed over with. */
    public function from(Delivery $delivery): Position
    {
        return $this->rejected[0]->from ?? $delivery->from;
    }

    /** @throws Throwable */
    public function deliver(Delivery $batch): void
    {
        $this->deliverSingle($batch);
        $this->probe?->hasTaken($batch);
    }

    /**
     * @param ?Closure(): ?Delivery $next handed over right behind it, asked for once this has arrived
     *
     * @throws Throwable
     */
    public function deliverSingle(Delivery $single, ?Closure $next = null): void
    {
        $this->writeLetters();
        $this->hand($this->withRejected($single), $next);
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

        if (! $event->isTelling) {
            $this->refuseToBuryUnreadable($event);

            return;
        }

        $this->telling++;
        $most = self::MOST_IN_A_ROW;

        if ($this->probe === null && ! $this->options->buryAll) {
            $most <<= min(self::MOST_DOUBLINGS, $this->lease->state()->trouble->attempts ?? 0);
        }

        if (($this->probe === null ? $this->inRow() : $this->telling) >= $most) {
            $this->finish();
        }
    }

    /**
     * Nothing follows in its turn that could show that the sink takes anything.
     *
     * @throws HeadroomException
     */
    public function finish(): void
    {
        if ($this->rejected === []) {
            return;
        }

        $inRow = $this->inRow();

        if ($this->telling > 0 && ! $this->options->buryAll) {
            $this->refuseToBuryAll($inRow);
        }

        $this->writeLetters();
        [$from, $to] = [$this->rejected[0]->from, $this->rejected[count($this->rejected) - 1]->end];
        $this->hand(new Delivery($this->lease->source(), $from, $to, Batch::of([]), count($this->rejected)));

        $this->hasTaken = false;

        // With --bury the operator has said that they are bad, and the count begins again.
        if ($inRow > 0) {
            $this->lease->save($this->lease->state()->refused($this->options->buryAll ? 0 : $inRow));
        }
    }

    /** Refused events are not handed over again because the one behind them fails. */
    public function finishQuietly(): void
    {
        try {
            $this->finish();
        } catch (Throwable) {
            // Then they come again; the caller has a failure of its own to report.
        }
    }

    /** @throws UnableToFlush where it is the sink's fault, or may be */
    private function refuseToBuryAll(int $inRow): void
    {
        $last = $this->rejected[count($this->rejected) - 1];
        $isMany = $inRow > self::MOST_BY_THE_PAST;

        // What it has taken in this flush has shown it, where to show it again would leave a trace.
        $isShown = $this->hasTaken && $this->probe?->leavesNoTrace() !== true;

        if ($this->probe !== null && ! $isShown && ! $this->probe->takesAnything(isOfNow: $isMany)) {
            $reason = FailureReason::ofDeath($last->reason, FailureReason::SHORT_BYTES);

            throw $isMany
                ? SinkRejectsEverything::sinceDeadLetters($this->bucket->name, $inRow - $this->telling, $reason)
                : $this->sinkAtFault($last->reason);
        }

        if ($this->probe === null && $inRow >= self::MOST_IN_A_ROW) {
            throw $this->everythingRefused($inRow, $last);
        }
    }

    /** Fifty lines in a row that are no events tell of the log, and nothing of the sink. */
    private function refuseToBuryUnreadable(RejectedEvent $event): void
    {
        if (! $event->isUnreadable || $this->options->buryAll) {
            return;
        }

        $unreadable = count(array_filter($this->rejected, static fn (RejectedEvent $it): bool => $it->isUnreadable));

        if ($unreadable >= self::MOST_IN_A_ROW) {
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

        return SinkRejectsEverything::everyProbe($this->bucket->name, $this->probe?->asked() ?? 0, $reason);
    }

    /** @return int<0, max> */
    private function inRow(): int
    {
        return $this->lease->state()->refusedInRow + $this->telling;
    }

    /**
     * @param ?Closure(): ?Delivery $next
     *
     * @throws HeadroomException
     */
    private function hand(Delivery $delivery, ?Closure $next = null): void
    {
        if ($this->lease instanceof Replicated) {
            $this->lease->secure($delivery->to);
        }

        $refused = $this->strategy->deliver($delivery, $next);
        // Not those that were dead before.
        $dying = array_filter($this->rejected, static fn (RejectedEvent $event): bool => $event->reason !== null);
        $this->report->dead += $refused + count($dying);
        $this->rejected = [];
        $events = count($delivery->batch);
        $this->hasTaken = $this->hasTaken || $events > $refused;
        [$this->written, $this->telling] = [0, 0];
        $this->report->delivered += $events - $refused;
        $this->report->batches += $events > 0 ? 1 : 0;
        $this->options->watch?->__invoke($delivery);
    }

    /** @throws UnableToFlush */
    private function writeLetters(): void
    {
        // Each once: with --bury there may be thousands before the sink takes anything.
        for (; $this->written < count($this->rejected); $this->written++) {
            $event = $this->rejected[$this->written];

            if ($event->reason !== null) {
                $writer = new DeadLetterWriter($this->lease, $this->bucket, $this->clock, $this->report);
                $writer->write($event->position, $event->reason);
            }
        }
    }
}
