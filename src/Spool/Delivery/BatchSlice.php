<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Closure;
use Headroom\Core\Batch;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Core\Rows;
use Headroom\Sink\Delivery;
use Headroom\Sink\Source;
use Headroom\Spool\Encoding\Codec;

/**
 * Rows to be delivered together, that can be halved. Their records and places are made when somebody asks for them.
 *
 * @internal
 */
final readonly class BatchSlice
{
    /**
     * @param array<int, string> $ownIds ids that events brought, by the number of the event
     * @param int<0, max> $first the event that the first row is, in $places and $ownIds
     */
    public function __construct(private Source $source, public Position $from, private Rows $rows, private Offsets $places, private array $ownIds = [], private int $first = 0) {}

    /**
     * Of a range that holds dead letters only.
     *
     * @param int<0, max> $dead
     */
    public static function none(Source $source, Position $from, Position $to, int $dead): Delivery
    {
        return new Delivery($source, $from, $to, Batch::of([]), $dead);
    }

    private function position(): Position
    {
        return $this->places->position($this->first);
    }

    /**
     * What becomes of it when it is refused, and is of one record.
     *
     * @param mixed $reason as the sink gave it
     */
    public function condemned(mixed $reason): RejectedEvent
    {
        return new RejectedEvent($this->from, $this->position(), $this->end(), FailureReason::ofDeath($reason), ! isset($this->ownIds[$this->first]));
    }

    /** @return int<0, max> events */
    public function size(): int
    {
        return count($this->rows);
    }

    public function end(): Position
    {
        return $this->behind(count($this->rows) - 1);
    }

    /**
     * @param ?Position $from where the dead letters before it begin
     * @param int<0, max> $dead how many these are
     */
    public function delivery(?Position $from = null, int $dead = 0): Delivery
    {
        return new Delivery($this->source, $from ?? $this->from, $this->end(), new Batch($this->rows, $this->records()), $dead);
    }

    /** @return list<self> two, or none when it is a single record */
    public function halves(): array
    {
        $all = count($this->rows);
        $middle = max(0, intdiv($all, 2));

        return $middle === 0 ? [] : [
            new self($this->source, $this->from, $this->rows->slice(0, $middle), $this->places, $this->ownIds, $this->first),
            new self($this->source, $this->behind($middle - 1), $this->rows->slice($middle, $all), $this->places, $this->ownIds, $this->first + $middle),
        ];
    }

    /** @return non-empty-list<self> one for each record */
    public function singles(): array
    {
        $singles = [];
        $from = $this->from;
        $values = $this->rows->all();

        foreach ($values as $row => $record) {
            $singles[] = new self($this->source, $from, Rows::of([$record]), $this->places, $this->ownIds, $this->first + $row);
            $from = $this->behind($row);
        }

        return $singles === [] ? [$this] : $singles;
    }

    /** @param int<0, max> $row */
    public function single(int $row): self
    {
        return new self($this->source, $row === 0 ? $this->from : $this->behind($row - 1), $this->rows->slice($row, 1), $this->places, $this->ownIds, $this->first + $row);
    }

    private function behind(int $row): Position
    {
        return $this->places->behind(max(0, $this->first + $row));
    }

    /** @return Closure(int<0, max>): Record */
    private function records(): Closure
    {
        $rows = null;

        return function (int $row) use (&$rows): Record {
            // Whoever asks for one mostly asks for all, and that is cheaper at once.
            $rows ??= $this->rows->all();
            $event = max(0, $this->first + $row);
            [$position, $time] = $this->places->positionAndTime($event);

            return new Record($position, $time, Codec::withDates($rows[$row]), $this->ownIds[$event] ?? null);
        };
    }
}
