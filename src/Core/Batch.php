<?php

declare(strict_types=1);

namespace Headroom\Core;

use Closure;
use Countable;
use Generator;
use IteratorAggregate;

/**
 * Records in the order of the log. A record is created when you access it; a sink that needs only values reads $rows,
 * which already exist.
 *
 * @implements IteratorAggregate<int, Record>
 */
final readonly class Batch implements Countable, IteratorAggregate
{
    /** @param Closure(int<0, max>): Record $record creates the record of a row, by its index */
    public function __construct(public Rows $rows, private Closure $record) {}

    /** @param list<Record> $records */
    public static function of(array $records): self
    {
        return new self(Rows::of(array_map(static fn (Record $record): array => $record->values, $records)), static fn (int $number): Record => $records[$number]);
    }

    public function count(): int
    {
        return count($this->rows);
    }

    /** @param int<0, max> $number below count() */
    public function record(int $number): Record
    {
        return ($this->record)($number);
    }

    /** @return Generator<int, Record> */
    public function getIterator(): Generator
    {
        for ($number = 0, $count = count($this->rows); $number < $count; $number++) {
            yield $number => ($this->record)($number);
        }
    }
}
