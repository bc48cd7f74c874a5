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
use Headroom\Spool\Store\ForkDetector;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\Store\Replicated;
use Headroom\Spool\Store\State\DeliveryState;
use Headroom\Spool\UnableToFlush;
use Throwable;

/**
 * The strategy for sinks with a ledger. The ledger is the cursor; the state file only has a copy of what the ledger
 * last reported.
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
        $source = $this->lease->source();
        $progress = $this->sink->progress($source);
        $state = $this->lease->state();
        $last = $state->progress;

        if ($progress === null) {
            if (! $last->position->isStart()) {
                throw LedgerMismatch::noRow($source, $last);
            }

            $this->sink->register($source);
            $progress = Progress::none();
        }

        if ($state->isOfRedis()) {
            // Redis has delivered these events under the id of its own log.
            if ($progress->position->compare($last->position) < 0) {
                $this->sink->move($source, $progress, $last);
                $progress = $last;
            }

            $this->lease->save($state->at($last));
        }

        // A row that was changed by hand may differ in its counts only.
        if (! $progress->equals($last)) {
            $this->adoptLedger($progress, $last);
        }

        return $progress;
    }

    /**
     * After a crash between commit and save, the ledger is ahead, and the log has the delivered events in between.
     * After a restore of the database, the ledger is behind, and the events that it needs again must not be cleaned
     * away.
     *
     * @throws UnableToFlush
     */
    private function adoptLedger(Progress $ledger, Progress $last): void
    {
        // The copy of this disk that delivered the events may have sealed them, while here they are still in active
        // segments. If the ledger has no checksum to compare, a new log stays without segments. The next flush then
        // also sees that the log is new.
        if ($ledger->checksum !== '' || ! $this->lease->state()->isNew) {
            $this->lease->seal();
        }

        $isForked = ForkDetector::hasDiverged($ledger, $this->lease->state(), $this->lease)
            || $this->disagreesWithLog($ledger, $last);

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
            $this->report->redelivered += max(0, $last->delivered + $last->dead - $ledger->delivered - $ledger->dead);
        }

        $this->lease->save($this->lease->state()->at($ledger, $this->lease->letters()));
    }

    /** Without a checksum, the number of events shows the fork, and in a stream the position does. */
    private function disagreesWithLog(Progress $ledger, Progress $last): bool
    {
        return $ledger->position->compare($last->position) > 0 && ($this->lease->state()->isNew
            || ($this->lease instanceof Replicated && ! $this->lease->isEntry($ledger->position))
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

    public function resendUntil(): ?Position
    {
        return null;
    }

    public function deliver(Delivery $delivery, ?Closure $next = null): int
    {
        $before = $this->lease->state();
        $charged = $this->rate?->take($before, count($delivery->batch)) ?? $before;

        if ($charged !== $before) {
            $this->lease->save($charged);
        }

        $delivery = $delivery->withChecksum($this->lease->checksum($before->progress, $delivery->to));

        try {
            $this->sinks->deliver($this->sink, $delivery);
        } catch (Throwable $e) {
            $this->returnTokens($charged, $before);

            throw $e instanceof PartialBatchFailure ? SinkContractViolated::partOfOnce($e) : $e;
        }

        $this->lease->save($charged->delivered($delivery));

        return 0;
    }

    /**
     * Returns the tokens of a failed delivery, because attempts at a database that is down must not use up a daily rate
     * limit. If only the reply to a commit was lost, one batch exceeds the limit.
     */
    private function returnTokens(DeliveryState $taken, DeliveryState $before): void
    {
        if ($taken === $before) {
            return;
        }

        try {
            $this->lease->save($before);
        } catch (Throwable) {
            // The tokens become free when their period has passed.
        }
    }
}
