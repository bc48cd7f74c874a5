<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Sink\Delivery;
use Headroom\Sink\RecordsRefused;
use Headroom\Sink\SomeRefused;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Claim;
use Headroom\Spool\Reason;
use Headroom\Spool\UnableToFlush;
use Throwable;

/**
 * Hands parcels to the courier, and finds what is wrong with one that is refused: it halves it, the earlier half first,
 * until a single record is left.
 *
 * Such a record is a suspect only. It is buried in the same step as the next record that the sink takes, or at the end
 * of the log: a sink that refuses whatever it is given has a fault of its own, and nobody's events die of that.
 *
 * @internal
 */
final class PoisonHunt
{
    /** Refused in a row, nothing taken in between: that is the table and not the records. */
    private const MOST_IN_A_ROW = 50;

    /** @var list<Condemned> refused, in the order of the log, nothing taken behind them */
    private array $suspects = [];

    /** @var int<0, max> how many of these have their letter already */
    private int $buried = 0;

    /** @var int<0, max> how many of them tell of the sink: not those that were dead before */
    private int $telling = 0;

    private readonly Burial $burial;

    public function __construct(
        private readonly Courier $courier,
        private readonly Claim $claim,
        private readonly BucketConfig $bucket,
        Clock $clock,
        private readonly FlushReport $report,
        private readonly Limits $limits,
    ) {
        $this->burial = new Burial($claim, $bucket, $clock, $report);
    }

    /** @throws HeadroomException */
    public function deliver(Parcel $parcel): void
    {
        try {
            $this->burySuspects();
            $this->hand($parcel->delivery($this->suspects[0]->from ?? null, count($this->suspects)));
        } catch (RecordsRefused $e) {
            $halves = $parcel->halves();

            if ($halves === []) {
                $this->suspect($parcel->condemned($e));
            }

            foreach ($halves as $half) {
                $this->deliver($half);
            }
        } catch (SomeRefused $e) {
            // Of a batch of which nothing has arrived.
            foreach ($parcel->singles() as $number => $single) {
                $this->suspect($single->condemned($e->refused()[$number] ?? $e));
            }
        }
    }

    /**
     * One record after the other, each delivered before the next is handed over.
     *
     * @param Closure(): bool $goesOn asked behind each but the last
     * @return bool whether it came to the last
     *
     * @throws Throwable
     */
    public function deliverEach(Parcel $parcel, Closure $goesOn): bool
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
    private function deliverSingle(Parcel $single, ?Closure $next = null): void
    {
        try {
            $this->burySuspects();
            $this->hand($single->delivery($this->suspects[0]->from ?? null, count($this->suspects)), $next);
        } catch (RecordsRefused|SomeRefused $e) {
            $this->suspect($single->condemned($e instanceof SomeRefused ? $e->refused()[0] ?? $e : $e));

            if ($e instanceof TriedInVain) {
                $this->finish();
            }
        } catch (Throwable $e) {
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
    public function suspect(Condemned $condemned): void
    {
        $this->suspects[] = $condemned;

        if ($condemned->reason === null || $condemned->isRevived) {
            return;
        }

        $this->telling++;
        $inRow = $this->inRow();

        if ($inRow < self::MOST_IN_A_ROW) {
            return;
        }

        if (! $this->limits->buryAll) {
            throw UnableToFlush::everythingRefused($this->bucket->name, $inRow, $condemned->position->toString(), Reason::of($condemned->reason, Reason::SHORT_BYTES));
        }

        $this->finish();
    }

    /**
     * Nothing follows that could show that the sink takes anything.
     *
     * @throws HeadroomException
     */
    public function finish(): void
    {
        if ($this->suspects === []) {
            return;
        }

        $inRow = $this->inRow();
        $this->burySuspects();
        $this->hand(Parcel::none($this->claim->source, $this->suspects[0]->from, $this->suspects[count($this->suspects) - 1]->end, count($this->suspects)));

        // Whoever says that they are bad begins the count anew.
        if ($inRow > 0) {
            $this->claim->log->save($this->claim->log->state()->refused($this->limits->buryAll ? 0 : $inRow));
        }
    }

    /** @return int<0, max> */
    private function inRow(): int
    {
        return $this->claim->log->state()->refusedInRow + $this->telling;
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
        $this->report->dead += $refused + count(array_filter($this->suspects, static fn (Condemned $suspect): bool => $suspect->reason !== null));
        $this->suspects = [];
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
