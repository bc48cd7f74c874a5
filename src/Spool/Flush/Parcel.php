<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Core\Batch;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\Delivery;
use Headroom\Sink\Source;
use Headroom\Spool\Codec;
use Headroom\Spool\Stretch;

/**
 * Rows to be delivered together, that can be halved. Their records and places are made when somebody asks for them.
 *
 * @internal
 *
 * @phpstan-import-type Start from BatchReader
 * @phpstan-import-type Row from BatchReader
 */
final readonly class Parcel
{
    /**
     * @param non-empty-list<Row> $rows
     * @param list<Start> $starts which events they are
     * @param array<int, string> $ownIds ids that events brought, by the number of the row
     * @param int<0, max> $skipped rows that $starts and $ownIds count and that are not here
     */
    public function __construct(private Source $source, public Position $from, private array $rows, private array $starts, private array $ownIds, private int $skipped = 0) {}

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
        [$stretch, $number, $index] = $this->place(0);

        return $stretch->position($number, $index);
    }

    /** Of its first record. */
    public function isRevived(): bool
    {
        return isset($this->ownIds[$this->skipped]);
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
        return new Delivery($this->source, $from ?? $this->from, $this->end(), new Batch($this->rows, $this->record(...)), $dead);
    }

    /** @return list<self> two, or none when it is a single record */
    public function halves(): array
    {
        $middle = max(0, intdiv(count($this->rows), 2));
        [$first, $second] = [array_slice($this->rows, 0, $middle), array_slice($this->rows, $middle)];

        return $first === [] || $second === [] ? [] : [
            new self($this->source, $this->from, $first, $this->starts, $this->ownIds, $this->skipped),
            new self($this->source, $this->behind($middle - 1), $second, $this->starts, $this->ownIds, $this->skipped + $middle),
        ];
    }

    private function behind(int $row): Position
    {
        [$stretch, $number, $index] = $this->place($row);

        return $stretch->behind($number, $index);
    }

    private function record(int $row): Record
    {
        [$stretch, $number, $index] = $this->place($row);

        return new Record($stretch->position($number, $index), $stretch->times[$number], Codec::withDates($this->rows[$row]), $this->ownIds[$this->skipped + $row] ?? null);
    }

    /** @return array{Stretch, int<0, max>, int<0, 65535>} entry and event of a row */
    private function place(int $row): array
    {
        $row += $this->skipped;
        [$low, $high] = [0, count($this->starts) - 1];

        // The last one that is not behind the row.
        while ($low < $high) {
            $middle = intdiv($low + $high + 1, 2);
            [$low, $high] = $this->starts[$middle][0] <= $row ? [$middle, $high] : [$low, $middle - 1];
        }

        [$first, $stretch, $number, $index] = $this->starts[$low];

        return [$stretch, ...$stretch->after($number, $index, max(0, $row - $first))];
    }
}
