<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Closure;
use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Sink\Progress;
use Headroom\Spool\Exceptions\LedgerMismatch;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\DeliveryState;
use Headroom\Spool\Store\ForkDetector;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\Store\Replicated;
use Headroom\Spool\UnableToFlush;
use Throwable;

/**
 * The sink's ledger is the cursor; what is saved here is only what the ledger said last.
 *
 * @internal
 */
final readonly class ExactlyOnceDelivery implements DeliveryStrategy
{
    public function __construct(
        private ExactlyOnce $sink,
        private SinkRegistry $sinks,
        private ConsumerLease $lease,
        private FlushReport $report,
        private ?RateLimiter $rate = null,
    ) {}

    public function begin(): Progress
    {
        $progress = $this->sink->progress($this->lease->source());
        $last = $this->lease->state()->progress;

        if ($progress === null) {
            if (! $last->position->isStart()) {
                throw LedgerMismatch::noRow($this->lease->source(), $last);
            }

            $this->sink->register($this->lease->source());
            $progress = Progress::none();
        }

        if ($this->lease->state()->isOfRedis()) {
            // Redis delivered it, under an id of its own.
            if ($progress->position->compare($last->position) < 0) {
                $this->sink->move($this->lease->source(), $progress, $last);
                $progress = $last;
            }

            $this->lease->save($this->lease->state()->at($last));
        }

        // A row that was changed by hand may differ in its counts only.
        if (! $progress->equals($last)) {
            $this->accept($progress, $last);
        }

        return $progress;
    }

    /**
     * Ahead of what is known here is a ledger after a crash between commit and save: then the log holds in between what
     * was delivered. Behind is one that was restored: what it wants again must not be cleaned away meanwhile.
     *
     * @throws UnableToFlush
     */
    private function accept(Progress $ledger, Progress $last): void
    {
        // The copy of this disk that delivered them had as segments what may lie here in slots. Where the ledger has no
        // checksum to compare, a new log stays without a segment, so that the next flush sees that it is new as well.
        if ($ledger->checksum !== '' || ! $this->lease->state()->isNew) {
            $this->lease->seal();
        }

        $isForked = ForkDetector::hasDiverged($ledger, $this->lease->state(), $this->lease)
            || $this->isStrange($ledger, $last);

        if ($isForked && ! ($this->lease instanceof Replicated)) {
            throw LedgerMismatch::forked(
                $this->lease->source()->toString(),
                $ledger->position->toString(),
                $last->position->toString(),
            );
        }

        if ($isForked && ! $this->lease->yieldTo($ledger)) {
            throw LedgerMismatch::streamSetBack(
                $this->lease->source(),
                $ledger->position->toString(),
                $last->position->toString(),
            );
        }

        if ($ledger->position->compare($last->position) < 0) {
            $this->report->again += max(0, $last->delivered + $last->dead - $ledger->delivered - $ledger->dead);
        }

        $this->lease->save($this->lease->state()->at($ledger));
    }

    /** Where no checksum tells, the number of events does, and in a stream the place. */
    private function isStrange(Progress $ledger, Progress $last): bool
    {
        return $ledger->position->compare($last->position) > 0 && ($this->lease->state()->isNew
            || ($this->lease instanceof Replicated && ! $this->lease->isPlace($ledger->position))
            || (($ledger->checksum === '' || $this->lease instanceof Replicated)
                && $last->delivered + $last->dead + $this->eventsBetween($last->position, $ledger->position)
                    !== $ledger->delivered + $ledger->dead));
    }

    private function eventsBetween(Position $from, Position $to): int
    {
        $events = 0;

        foreach ($this->lease->read($from) as $item) {
            foreach ($item instanceof MissingRange ? [] : $item as $entry) {
                if ($entry->position->compare($to) >= 0) {
                    return $events;
                }

                $isWhole = $entry->end->compare($to) <= 0;
                $events += ($isWhole ? $entry->count : $to->index) - $entry->position->index;
            }
        }

        return $events;
    }

    public function begun(): ?Position
    {
        return null;
    }

    public function deliver(Delivery $delivery, ?Closure $next = null): int
    {
        $before = $this->lease->state();
        $taking = $this->rate?->taking($before, count($delivery->batch)) ?? $before;

        if ($taking !== $before) {
            $this->lease->save($taking);
        }

        $delivery = $delivery->withChecksum($this->lease->checksum($before->progress, $delivery->to));

        try {
            $this->sinks->deliver($this->sink, $delivery);
        } catch (Throwable $e) {
            $this->giveBack($taking, $before);

            throw $e instanceof PartialBatchFailure ? SinkContractViolated::partOfOnce($e) : $e;
        }

        $this->lease->save($this->lease->state()->delivered($delivery));

        return 0;
    }

    /**
     * A rate per day must not pay for each try at a database that is down. Where only the reply to a commit was lost,
     * one batch goes beyond the rate.
     */
    private function giveBack(DeliveryState $taken, DeliveryState $before): void
    {
        if ($taken === $before) {
            return;
        }

        try {
            $this->lease->save($before);
        } catch (Throwable) {
            // Then they are free again when their time has passed.
        }
    }
}
