<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\RecordsRefused;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Claim;
use Headroom\Spool\Entries;
use Headroom\Spool\Letter;
use Headroom\Spool\UnableToFlush;

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

    public function __construct(
        private readonly Courier $courier,
        private readonly Claim $claim,
        private readonly BucketConfig $bucket,
        private readonly Clock $clock,
        private readonly FlushReport $report,
        private readonly Limits $limits,
    ) {}

    /** @throws HeadroomException */
    public function deliver(Parcel $parcel): void
    {
        try {
            $this->burySuspects();
            $this->hand($parcel->delivery($this->suspects[0]->from ?? null, count($this->suspects)));
        } catch (RecordsRefused $e) {
            $halves = $parcel->halves();

            if ($halves === []) {
                $this->suspect(new Condemned($parcel->from, $parcel->position(), $parcel->end(), $e->getMessage(), $parcel->isRevived()));
            }

            foreach ($halves as $half) {
                $this->deliver($half);
            }
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
            throw UnableToFlush::everythingRefused($this->bucket->name, $inRow, $condemned->position->toString(), $condemned->reason);
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

    /** @throws HeadroomException */
    private function hand(Delivery $delivery): void
    {
        $this->courier->deliver($delivery);
        // Not those that were dead before.
        $this->report->dead += count(array_filter($this->suspects, static fn (Condemned $suspect): bool => $suspect->reason !== null));
        $this->suspects = [];
        [$this->buried, $this->telling] = [0, 0];
        $this->report->delivered += count($delivery->batch);
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
                $this->bury($suspect->position, $suspect->reason);
            }
        }
    }

    /** @throws UnableToFlush */
    private function bury(Position $position, string $reason): void
    {
        foreach ($this->claim->log->read($position) as $item) {
            if ($item instanceof Entries) {
                $line = explode("\n", $item->payloads[0])[$position->index] ?? '';
                $this->report->firstDeath ??= $reason;
                $this->claim->letters->bury(new Letter($position, $this->idOf($line, $position), $item->stretch->times[0], $this->clock->micros(), $this->bucket->sink, $reason, $line));

                return;
            }
        }

        throw UnableToFlush::undecodable($position->toString(), 'it is not where it was a moment ago. Check that disk.');
    }

    private function idOf(string $line, Position $position): string
    {
        $event = str_starts_with($line, '[') ? json_decode($line, true, 4) : null;

        return is_array($event) && is_string($event[0] ?? null) ? $event[0] : "{$this->claim->source->toString()}/{$position->toString()}";
    }
}
