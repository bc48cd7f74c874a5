<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Core\Batch;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\Delivery;
use Headroom\Sink\Source;

/**
 * Records to be delivered together, that can be halved.
 *
 * @internal
 */
final readonly class Parcel
{
    /**
     * @param non-empty-list<Record> $records
     * @param non-empty-list<Position> $ends the place behind each
     */
    public function __construct(private Source $source, public Position $from, public array $records, private array $ends) {}

    /**
     * Of a range that holds dead letters only.
     *
     * @param int<0, max> $dead
     */
    public static function none(Source $source, Position $from, Position $to, int $dead): Delivery
    {
        return new Delivery($source, $from, $to, Batch::of([]), $dead);
    }

    public function end(): Position
    {
        return $this->ends[count($this->ends) - 1];
    }

    /**
     * @param ?Position $from where the dead letters before it begin
     * @param int<0, max> $dead how many these are
     */
    public function delivery(?Position $from = null, int $dead = 0): Delivery
    {
        return new Delivery($this->source, $from ?? $this->from, $this->end(), Batch::of($this->records), $dead);
    }

    /** @return list<self> two, or none when it is a single record */
    public function halves(): array
    {
        $middle = intdiv(count($this->records), 2);
        [$first, $second] = [array_slice($this->records, 0, $middle), array_slice($this->records, $middle)];
        [$firstEnds, $secondEnds] = [array_slice($this->ends, 0, $middle), array_slice($this->ends, $middle)];

        return $first === [] || $second === [] || $firstEnds === [] || $secondEnds === [] ? [] : [
            new self($this->source, $this->from, $first, $firstEnds),
            new self($this->source, $this->ends[$middle - 1] ?? $this->from, $second, $secondEnds),
        ];
    }
}
