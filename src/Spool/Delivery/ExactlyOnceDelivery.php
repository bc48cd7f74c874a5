<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Closure;
use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\Exceptions\LedgerMismatch;
use Headroom\Spool\Store\DeliveryState;
use Headroom\Spool\Store\Fork;
use Headroom\Spool\Store\Log;
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
    public function __construct(private ExactlyOnce $sink, private Log $log, private Source $source, private ?RateLimiter $rate = null, private SinkInvoker $handover = new SinkInvoker, private ?FlushReport $report = null) {}

    public function begin(): Progress
    {
        $progress = $this->sink->progress($this->source);
        $last = $this->log->state()->progress;

        if ($progress === null) {
            if (! $last->position->isStart()) {
                throw LedgerMismatch::noRow($this->source, $last);
            }

            $this->sink->register($this->source);
            $progress = Progress::none();
        }

        if ($this->log->state()->isOfRedis()) {
            // Redis delivered it, under an id of its own.
            if ($progress->position->compare($last->position) < 0) {
                $this->sink->move($this->source, $progress, $last);
                $progress = $last;
            }

            $this->log->save($this->log->state()->at($last));
        }

        // A row that was changed by hand may differ in its counts only.
        if (! $progress->equals($last)) {
            $this->accept($progress, $last);
        }

        return $progress;
    }

    /**
     * Ahead of what is known here is a ledger after a crash between commit and save: then the log holds in between what was
     * delivered. Behind is one that was restored: what it wants again must not be cleaned away meanwhile.
     *
     * @throws UnableToFlush
     */
    private function accept(Progress $ledger, Progress $last): void
    {
        $isForked = Fork::isThere($ledger, $this->log->state(), $this->log) || $this->isStrange($ledger, $last);

        if ($isForked && ! ($this->log instanceof Replicated)) {
            throw LedgerMismatch::forked($this->source->toString(), $ledger->position->toString(), $last->position->toString());
        }

        if ($isForked && ! $this->log->yieldTo($ledger)) {
            throw LedgerMismatch::streamSetBack($this->source, $ledger->position->toString(), $last->position->toString());
        }

        if ($this->report !== null && $ledger->position->compare($last->position) < 0) {
            $this->report->again += max(0, $last->delivered + $last->dead - $ledger->delivered - $ledger->dead);
        }

        $this->log->save($this->log->state()->at($ledger));
    }

    /** Where no checksum tells, the number of events does, and in a stream the place. */
    private function isStrange(Progress $ledger, Progress $last): bool
    {
        return $ledger->position->compare($last->position) > 0 && ($this->log->state()->isNew
            || ($this->log instanceof Replicated && ! $this->log->isPlace($ledger->position))
            || (($ledger->checksum === '' || $this->log instanceof Replicated) && $last->delivered + $last->dead + $this->eventsBetween($last->position, $ledger->position) !== $ledger->delivered + $ledger->dead));
    }

    private function eventsBetween(Position $from, Position $to): int
    {
        $events = 0;

        foreach ($this->log->read($from) as $item) {
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
        $before = $this->log->state();
        $taking = $this->rate?->taking($before, count($delivery->batch)) ?? $before;

        if ($taking !== $before) {
            $this->log->save($taking);
        }

        $delivery = $delivery->withChecksum($this->log->checksum($before->progress, $delivery->to));

        try {
            $this->handover->deliver($this->sink, $delivery);
        } catch (Throwable $e) {
            $this->giveBack($taking, $before);

            throw $e instanceof PartialBatchFailure ? SinkContractViolated::partOfOnce($e) : $e;
        }

        $this->log->save($this->log->state()->delivered($delivery));

        return 0;
    }

    /**
     * A rate per day must not pay for each try at a database that is down. Where only the reply to a commit was lost, one
     * batch goes beyond the rate.
     */
    private function giveBack(DeliveryState $taken, DeliveryState $before): void
    {
        if ($taken === $before) {
            return;
        }

        try {
            $this->log->save($before);
        } catch (Throwable) {
            // Then they are free again when their time has passed.
        }
    }
}
