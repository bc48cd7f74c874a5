<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Core\Batch;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\Delivery;
use Headroom\Sink\Source;
use Headroom\Spool\Codec;

/**
 * Rows to be delivered together, that can be halved. Their records and places are made when somebody asks for them.
 *
 * @internal
 *
 * @phpstan-import-type Place from BatchReader
 * @phpstan-import-type Row from BatchReader
 */
final readonly class Parcel
{
    /**
     * @param non-empty-list<Row> $rows
     * @param non-empty-list<Place> $places of each
     * @param array<int, string> $ownIds ids that events brought, by the number of the row
     */
    public function __construct(private Source $source, public Position $from, private array $rows, private array $places, private array $ownIds) {}

    /**
     * Of a range that holds dead letters only.
     *
     * @param int<0, max> $dead
     */
    public static function none(Source $source, Position $from, Position $to, int $dead): Delivery
    {
        return new Delivery($source, $from, $to, Batch::of([]), $dead);
    }

    /** Of its first record. */
    public function position(): Position
    {
        [$entries, $number, $index] = $this->places[0];

        return $entries->position($number, $index);
    }

    public function end(): Position
    {
        return $this->behind(count($this->places) - 1);
    }

    /**
     * @param ?Position $from where the dead letters before it begin
     * @param int<0, max> $dead how many these are
     */
    public function delivery(?Position $from = null, int $dead = 0): Delivery
    {
        return new Delivery($this->source, $from ?? $this->from, $this->end(), new Batch($this->rows, $this->record(...)), $dead);
    }

    /** @return list<self> two, or none when it is a single record */
    public function halves(): array
    {
        $middle = intdiv(count($this->rows), 2);
        [$first, $second] = [array_slice($this->rows, 0, $middle), array_slice($this->rows, $middle)];
        [$firstPlaces, $secondPlaces] = [array_slice($this->places, 0, $middle), array_slice($this->places, $middle)];
        $secondIds = [];

        foreach ($this->ownIds as $number => $id) {
            $secondIds[$number - $middle] = $id;
        }

        return $first === [] || $second === [] || $firstPlaces === [] || $secondPlaces === [] ? [] : [
            new self($this->source, $this->from, $first, $firstPlaces, $this->ownIds),
            new self($this->source, $this->behind($middle - 1), $second, $secondPlaces, $secondIds),
        ];
    }

    private function behind(int $row): Position
    {
        [$entries, $number, $index] = $this->places[$row];

        return $entries->behind($number, $index);
    }

    private function record(int $row): Record
    {
        [$entries, $number, $index] = $this->places[$row];

        return new Record($entries->position($number, $index), $entries->times[$number], Codec::withDates($this->rows[$row]), $this->ownIds[$row] ?? null);
    }
}
