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
 *
 * @phpstan-import-type Row from Rows
 */
final class Batch implements Countable, IteratorAggregate
{
    /** @var ?list<Row> of all rows; made at once, since a sink that asks for one record mostly asks for all of them */
    private ?array $values = null;

    /**
     * @param Closure(int<0, max>, Row): Record $record makes the record of a row, by its number and its values
     * @param ?Closure(int<0, max>): Position $end the place in the log behind a record; null where the records lie in none
     * @param int<0, max> $first the number of the first row
     */
    public function __construct(
        public readonly Rows $rows,
        private readonly Closure $record,
        private readonly ?Closure $end = null,
        private readonly int $first = 0,
    ) {}

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
        $this->values ??= $this->rows->all();

        return ($this->record)($this->first + $number, $this->values[$number]);
    }

    /** @return Generator<int, Record> */
    public function getIterator(): Generator
    {
        foreach ($this->values ??= $this->rows->all() as $number => $values) {
            yield $number => ($this->record)($this->first + $number, $values);
        }
    }

    /**
     * @internal
     *
     * @param int<0, max> $number below count()
     * @return ?Position the place in the log behind that record; null where it lies in none
     */
    public function end(int $number): ?Position
    {
        return $this->end === null ? null : ($this->end)($this->first + $number);
    }

    /**
     * @internal
     *
     * @param int<0, max> $from
     * @param int<0, max> $length at most
     */
    public function slice(int $from, int $length): self
    {
        return new self($this->rows->slice($from, $length), $this->record, $this->end, $this->first + $from);
    }

    /**
     * @internal
     *
     * @return list<self> one for each record
     */
    public function singles(): array
    {
        $singles = [];

        foreach ($this->values ??= $this->rows->all() as $number => $values) {
            $singles[] = new self(Rows::of([$values]), $this->record, $this->end, $this->first + $number);
        }

        return $singles;
    }
}
