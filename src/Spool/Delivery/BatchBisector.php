<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Core\Permanent;
use Headroom\Core\Retryable;
use Headroom\Sink\CursorMoved;
use Headroom\Sink\Delivery;
use Headroom\Sink\InvalidRecords;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Sink\RetryLater;
use Headroom\Sink\UnableToDeliver;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Exceptions\SinkRejectsEverything;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\RetryState;
use Headroom\Spool\UnableToFlush;
use Throwable;

/**
 * Hands parcels to the courier, and finds what is wrong with one that fails: it halves it, the earlier half first, until a
 * single record is left.
 *
 * Such a record is a suspect only. It is buried once the sink has shown that it takes another one: the next record in its
 * turn, or one that it is tried with. A sink that refuses whatever it is given has a fault of its own, and no event dies
 * of it: docs/adr/0025.
 *
 * @internal
 */
final class BatchBisector
{
    /** Refused in a row, nothing taken in between: then the sink is asked whether it takes anything. */
    private const MOST_IN_A_ROW = 50;

    /** So many die in a row because the sink takes what it took before. Behind them it must take one that waits. */
    private const MOST_BY_THE_PAST = 1_000;

    /** A sink that cannot be tried is looked at further ahead with each flush that fails: so many times twice as far. */
    private const MOST_DOUBLINGS = 5;

    /** @var list<RejectedEvent> refused, in the order of the log, nothing taken behind them */
    private array $suspects = [];

    /** @var int<0, max> how many of these have their letter already */
    private int $buried = 0;

    /** @var int<0, max> how many of them tell of the sink: not those that were dead before */
    private int $telling = 0;

    /** Whether the sink has taken something in this flush. */
    private bool $hasTaken = false;

    /** One whose failure may be of the moment is a suspect: not more than one in a flush. */
    private bool $hasMomentary = false;

    private readonly DeadLetterWriter $burial;

    /** @param ?SinkProbe $inquest null for a sink that cannot be tried */
    public function __construct(
        private readonly DeliveryStrategy $courier,
        private readonly ConsumerLease $lease,
        private readonly BucketConfig $bucket,
        Clock $clock,
        private readonly FlushReport $report,
        private readonly FlushOptions $limits,
        private readonly ?SinkProbe $inquest = null,
    ) {
        $this->burial = new DeadLetterWriter($lease, $bucket, $clock, $report);
    }

    /**
     * @param ?Throwable $whole what the parcel has failed with that this one is a part of
     *
     * @throws Throwable
     */
    public function deliver(BatchSlice $parcel, ?Throwable $whole = null): void
    {
        try {
            $this->burySuspects();
            $this->hand($parcel->delivery($this->suspects[0]->from ?? null, count($this->suspects)));
        } catch (PartialBatchFailure $e) {
            // Of a batch of which nothing has arrived.
            foreach ($parcel->singles() as $number => $single) {
                $this->suspect($single->condemned($e->refused()[$number] ?? $e));
            }

            return;
        } catch (UnableToDeliver $e) {
            if (! $this->mayBeOfRecords($e, $whole)) {
                throw $e;
            }

            $this->search($parcel, $e, $whole !== null);

            return;
        }

        $this->inquest?->hasTaken($parcel->single(max(0, $parcel->size() - 1))->delivery());
    }

    /** @throws Throwable */
    private function search(BatchSlice $parcel, Throwable $failure, bool $isPart): void
    {
        $isRefusal = $failure instanceof InvalidRecords;
        $halves = $parcel->halves();

        if (! $isPart && $this->inquest !== null && $this->isToBeTriedBefore($failure, count($halves))) {
            $this->inquest->takesAnything($parcel) || throw $isRefusal ? $this->sinkAtFault($failure) : $failure;
        }

        if ($halves === []) {
            $isRefusal ? $this->suspect($parcel->condemned($failure)) : $this->suspectOfFailure($parcel, $failure);
        }

        foreach ($halves as $half) {
            $this->deliver($half, $failure);
        }
    }

    /** Halving a batch that is refused answers it as well; it takes longer, and sends nothing that is not due. */
    private function isToBeTriedBefore(Throwable $failure, int $halves): bool
    {
        return $failure instanceof InvalidRecords
            ? $halves > 0 && ! $this->hasTaken && ! $this->limits->buryAll && $this->inquest?->leavesNoTrace() === true
            : ! $failure instanceof Permanent || ! $this->limits->buryAll;
    }

    /**
     * Whether it may be one record that makes everything fail. What may be over soon is given time before anybody asks so,
     * and what is none of the sink's failures never is.
     */
    private function mayBeOfRecords(Throwable $failure, ?Throwable $whole = null): bool
    {
        return match (true) {
            $failure instanceof InvalidRecords => true,
            $this->inquest === null && ! $this->limits->buryAll => false,
            $failure instanceof RetryLater, $failure instanceof CursorMoved, $failure instanceof SinkContractViolated => false,
            $failure instanceof HeadroomException && ! $failure instanceof UnableToDeliver => false,
            $failure instanceof Retryable, $this->inquest?->leavesNoTrace() !== true => $this->hadItsTime($whole),
            default => true,
        };
    }

    private function hadItsTime(?Throwable $whole): bool
    {
        $isPart = $whole !== null && ! $whole instanceof InvalidRecords;

        return $isPart || $this->limits->buryAll || ($this->lease->state()->trouble->attempts ?? 0) + 1 >= RetryState::DOWN_AFTER;
    }

    /**
     * Of those whose failure may be of the moment one in a flush: a database whose disk is full takes small rows and refuses
     * large ones, and is not to lose all of these at once.
     *
     * @throws Throwable
     */
    private function suspectOfFailure(BatchSlice $single, Throwable $failure): void
    {
        if ($this->hasMomentary && ! $failure instanceof Permanent) {
            $this->partWithSuspects();

            throw $failure;
        }

        $this->hasMomentary = $this->hasMomentary || ! $failure instanceof Permanent;

        // Where only the reply was lost, a ledger knows.
        if (! $this->courier->begin()->position->equals($this->suspects[0]->from ?? $single->from)) {
            throw $failure;
        }

        // Elsewhere it is not known, and it is not asked again.
        $this->lease->save($this->lease->state()->unplanned());
        $this->suspect($single->condemned($failure));
    }

    /**
     * One record after the other, each delivered before the next is handed over.
     *
     * @param Closure(): bool $goesOn asked behind each but the last
     * @return bool whether it came to the last
     *
     * @throws Throwable
     */
    public function deliverEach(BatchSlice $parcel, Closure $goesOn): bool
    {
        $singles = $parcel->singles();

        foreach ($singles as $number => $single) {
            $follower = $singles[$number + 1] ?? null;

            if ($follower === null) {
                $this->deliverSingle($single);

                break;
            }

            $goes = null;
            $this->deliverSingle($single, static function () use ($follower, $goesOn, &$goes): ?Delivery {
                $goes = $goesOn();

                return $goes ? $follower->delivery() : null;
            });

            // Nobody has asked when it was refused.
            if (! ($goes ?? $goesOn())) {
                return false;
            }
        }

        return true;
    }

    /**
     * @param ?Closure(): ?Delivery $next
     *
     * @throws Throwable
     */
    private function deliverSingle(BatchSlice $single, ?Closure $next = null): void
    {
        try {
            $this->burySuspects();
            $this->hand($single->delivery($this->suspects[0]->from ?? null, count($this->suspects)), $next);
        } catch (InvalidRecords|PartialBatchFailure $e) {
            $this->suspect($single->condemned($e instanceof PartialBatchFailure ? $e->refused()[0] ?? $e : $e));

            if ($e instanceof MaxAttemptsExceeded) {
                $this->finish();
            }
        } catch (Throwable $e) {
            if ($this->limits->buryAll && $this->mayBeOfRecords($e)) {
                $this->suspectOfFailure($single, $e);

                return;
            }

            $this->partWithSuspects();

            throw $e;
        }
    }

    /** What was refused for good is not handed over again because the one behind it fails. */
    private function partWithSuspects(): void
    {
        try {
            $this->finish();
        } catch (Throwable) {
            // They come again, then; the failure that is on its way is the one to be told.
        }
    }

    /** @throws HeadroomException */
    public function suspect(RejectedEvent $condemned): void
    {
        $this->suspects[] = $condemned;

        if (! $condemned->isTelling) {
            $this->refuseToBuryWhatIsUnreadable($condemned);

            return;
        }

        $this->telling++;
        $most = self::MOST_IN_A_ROW;

        if ($this->inquest === null && ! $this->limits->buryAll) {
            $most <<= min(self::MOST_DOUBLINGS, $this->lease->state()->trouble->attempts ?? 0);
        }

        if (($this->inquest === null ? $this->inRow() : $this->telling) >= $most) {
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
        if ($this->suspects === []) {
            return;
        }

        $inRow = $this->inRow();

        if ($this->telling > 0 && ! $this->limits->buryAll) {
            $this->refuseToBuryAll($inRow);
        }

        $this->burySuspects();
        $this->hand(BatchSlice::none($this->lease->source(), $this->suspects[0]->from, $this->suspects[count($this->suspects) - 1]->end, count($this->suspects)));

        $this->hasTaken = false;

        // Whoever says that they are bad begins the count anew.
        if ($inRow > 0) {
            $this->lease->save($this->lease->state()->refused($this->limits->buryAll ? 0 : $inRow));
        }
    }

    /** @throws UnableToFlush where it is the sink's fault, or may be */
    private function refuseToBuryAll(int $inRow): void
    {
        $last = $this->suspects[count($this->suspects) - 1];

        // What it has taken in this flush has shown it, where to show it again would leave a trace.
        $isShown = $this->hasTaken && $this->inquest?->leavesNoTrace() !== true;

        if ($this->inquest !== null && ! $isShown && ! $this->inquest->takesAnything(isOfNow: $inRow > self::MOST_BY_THE_PAST)) {
            throw $inRow > self::MOST_BY_THE_PAST
                ? SinkRejectsEverything::sinceDeadLetters($this->bucket->name, $inRow - $this->telling, FailureReason::ofDeath($last->reason, FailureReason::SHORT_BYTES))
                : $this->sinkAtFault($last->reason);
        }

        if ($this->inquest === null && $inRow >= self::MOST_IN_A_ROW) {
            throw SinkRejectsEverything::inARow($this->bucket->name, $inRow, $last->position->toString(), FailureReason::of($last->reason, FailureReason::SHORT_BYTES));
        }
    }

    /** Fifty lines in a row that are no events tell of the log, and nothing of the sink. */
    private function refuseToBuryWhatIsUnreadable(RejectedEvent $condemned): void
    {
        if (! $condemned->isUnreadable || $this->limits->buryAll) {
            return;
        }

        $unreadable = count(array_filter($this->suspects, static fn (RejectedEvent $suspect): bool => $suspect->isUnreadable));

        if ($unreadable >= self::MOST_IN_A_ROW) {
            throw SinkRejectsEverything::inARow($this->bucket->name, $unreadable, $condemned->position->toString(), FailureReason::of($condemned->reason, FailureReason::SHORT_BYTES));
        }
    }

    private function sinkAtFault(mixed $reason): UnableToFlush
    {
        return SinkRejectsEverything::everyProbe($this->bucket->name, $this->inquest?->asked() ?? 0, FailureReason::ofDeath($reason, FailureReason::SHORT_BYTES));
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
        $refused = $this->courier->deliver($delivery, $next);
        // Not those that were dead before.
        $this->report->dead += $refused + count(array_filter($this->suspects, static fn (RejectedEvent $suspect): bool => $suspect->reason !== null));
        $this->suspects = [];
        $this->hasTaken = $this->hasTaken || count($delivery->batch) > $refused;
        [$this->buried, $this->telling] = [0, 0];
        $this->report->delivered += count($delivery->batch) - $refused;
        $this->report->batches += count($delivery->batch) > 0 ? 1 : 0;
        $this->limits->watch?->__invoke($delivery);
    }

    /** @throws UnableToFlush */
    private function burySuspects(): void
    {
        // Each once: with --bury there may be thousands before the sink takes anything.
        for (; $this->buried < count($this->suspects); $this->buried++) {
            $suspect = $this->suspects[$this->buried];

            if ($suspect->reason !== null) {
                $this->burial->bury($suspect->position, $suspect->reason);
            }
        }
    }
}
