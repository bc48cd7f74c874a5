<?php

declare(strict_types=1);

namespace Headroom\Core;

use Closure;
use Countable;
use DateTimeImmutable;
use Generator;
use IteratorAggregate;

/**
 * Records in the order of the log. Each is made when somebody comes to it: a sink that needs only their values asks for
 * rows(), which costs nothing.
 *
 * @implements IteratorAggregate<int, Record>
 */
final readonly class Batch implements Countable, IteratorAggregate
{
    /**
     * @param list<non-empty-array<string, scalar|null|Json|Bytes|Date|DateTimeImmutable>> $rows
     * @param Closure(int<0, max>): Record $record makes the record of a row, by its number
     */
    public function __construct(private array $rows, private Closure $record) {}

    /** @param list<Record> $records */
    public static function of(array $records): self
    {
        return new self(array_map(static fn (Record $record): array => $record->values, $records), static fn (int $number): Record => $records[$number]);
    }

    public function count(): int
    {
        return count($this->rows);
    }

    /** @return list<non-empty-array<string, scalar|null|Json|Bytes|Date|DateTimeImmutable>> the records' values; of dates only the text, where they come from a log */
    public function rows(): array
    {
        return $this->rows;
    }

    /** @param int<0, max> $number below count() */
    public function record(int $number): Record
    {
        return ($this->record)($number);
    }

    /** @return Generator<int, Record> */
    public function getIterator(): Generator
    {
        foreach ($this->rows as $number => $row) {
            yield $number => ($this->record)($number);
        }
    }
}
