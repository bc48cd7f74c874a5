<?php

declare(strict_types=1);

namespace Headroom\Core;

use Countable;
use DateTimeImmutable;

use function array_column;
use function array_key_first;
use function array_keys;
use function array_map;
use function array_merge;
use function array_slice;
use function count;
use function iterator_to_array;

/**
 * The values of records. Usually all records have the same columns, and then work is done column by column.
 *
 * @phpstan-type Value scalar|null|Json|Bytes|Date|DateTimeImmutable
 * @phpstan-type Row non-empty-array<string, Value>
 * @phpstan-type Column Dates|list<Value>
 */
final readonly class Rows implements Countable
{
    /**
     * @param list<Row> $rows empty if there are columns
     * @param array<string, Column> $columns
     */
    private function __construct(private array $rows, private array $columns) {}

    /** @param list<Row> $rows */
    public static function of(array $rows): self
    {
        return new self($rows, []);
    }

    /**
     * @internal
     *
     * @param non-empty-array<string, Column> $columns by name, all of the same length
     */
    public static function ofColumns(array $columns): self
    {
        return new self([], $columns);
    }

    /**
     * Concatenates rows.
     *
     * @internal
     *
     * @param non-empty-list<self> $parts made by ofColumns()
     * @return ?self null unless all have the same columns in the same order
     */
    public static function join(array $parts): ?self
    {
        $names = array_keys($parts[0]->columns);
        $pieces = [];

        foreach ($parts as $part) {
            if (array_keys($part->columns) !== $names) {
                return null;
            }

            foreach ($part->columns as $name => $values) {
                $pieces[$name][] = $values;
            }
        }

        foreach ($pieces as $name => $lists) {
            $pieces[$name] = Dates::join($lists) ?? array_merge(...array_map(
                static fn (Dates|array $values): array
                    => $values instanceof Dates ? iterator_to_array($values) : $values,
                $lists,
            ));
        }

        return $pieces === [] ? null : new self([], $pieces);
    }

    public function count(): int
    {
        return count($this->columns === [] ? $this->rows : $this->columns[array_key_first($this->columns)]);
    }

    /** @return list<Row> */
    public function all(): array
    {
        $rows = $this->rows;

        foreach ($this->columns as $name => $values) {
            foreach ($values as $number => $value) {
                $rows[$number][$name] = $value;
            }
        }

        return $rows;
    }

    /** @return ?non-empty-array<string, Column> by name; null if there is no row, or if rows differ in their columns */
    public function columns(): ?array
    {
        if (count($this) === 0) {
            return null;
        }

        if ($this->columns !== []) {
            return $this->columns;
        }

        $names = array_keys($this->rows[0]);
        $columns = [];

        // If all rows have the same number of columns, and each column a value in every row, no row has another column.
        foreach ($this->rows as $row) {
            if (count($row) !== count($names)) {
                return null;
            }
        }

        foreach ($names as $name) {
            $columns[$name] = array_column($this->rows, $name);

            if (count($columns[$name]) !== count($this->rows)) {
                return null;
            }
        }

        return $columns;
    }

    /**
     * @param int<0, max> $from
     * @param int<0, max> $length
     */
    public function slice(int $from, int $length): self
    {
        return new self(
            array_slice($this->rows, $from, $length),
            array_map(
                static fn (Dates|array $values): Dates|array
                    => $values instanceof Dates ? $values->slice($from, $length) : array_slice($values, $from, $length),
                $this->columns,
            ),
        );
    }
}
