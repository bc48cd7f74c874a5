<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use DateTimeImmutable;
use Headroom\Core\Batch;
use Headroom\Core\Bytes;
use Headroom\Core\Date;
use Headroom\Core\Dates;
use Headroom\Core\Json;
use Headroom\Core\Rows;

/**
 * Makes one row of those with the same key, and puts them in the order of their keys, in which every node writes them:
 * so two that flush at once wait for each other instead of each holding what the other needs.
 *
 * @internal
 *
 * @phpstan-import-type Row from Rows
 */
final readonly class BatchMerger
{
    private RowMerger $folding;

    public function __construct(private string $table, private ConflictResolution $conflict, private DateColumns $dates)
    {
        $comparison = new KeyComparison($dates);
        $this->folding = $conflict->isAggregate() ? new SumMerger($conflict, $comparison) : new UpsertMerger($conflict, $comparison);
    }

    /**
     * @param bool $isApart each event by itself, in the order of the log, where that matters
     * @return list<array{Rows, list<int<0, max>>}> to be written one behind the other, in none of them a key twice; with the number of a record behind each row
     *
     * @throws RowsRefused
     */
    public function fold(Batch $batch, bool $isApart = false): array
    {
        /** @var list<array<array-key, array{Row, int<0, max>}>> $waves */
        $waves = [];
        $last = $latest = [];
        // It comes out the same in whatever order.
        $isSum = $this->conflict->isAggregate();
        $rows = $this->withPlainDates($batch->rows);
        $keys = $this->keys($rows);

        foreach ($rows->all() as $number => $row) {
            try {
                $key = $keys[$number] ?? $this->key($row);
                $row = $this->folding->ready($row);
            } catch (UnableToMerge $e) {
                throw RowsRefused::unfoldable($this->table, $batch->record($number)->position, $e->getMessage());
            }

            $wave = $last[$key] ?? null;

            $alike = $isSum ? $key : self::alike($key);
            $other = $latest[$alike] ?? $key;
            $latest[$alike] = $key;

            if (($isApart && ! $isSum) || $wave === null || $other !== $key) {
                // Behind what the database may take for the same.
                $last[$key] = $isApart && ! $isSum ? count($waves) : (isset($last[$other]) ? $last[$other] + 1 : 0);
                $waves[$last[$key]][$key] = [$row, $number];

                continue;
            }

            $folded = $this->folding->fold($waves[$wave][$key][0], $row);

            if ($folded !== null) {
                $waves[$wave][$key] = [$folded, $waves[$wave][$key][1]];
            } else {
                $waves[$wave + 1][$key] = [$row, $number];
                $last[$key] = $wave + 1;
            }
        }

        return array_map($this->sorted(...), $waves);
    }

    /** The same for keys that many a column takes for one: in capitals, with blanks at the end. */
    private static function alike(string $key): string
    {
        // Of bytes that are no text none is like another.
        return mb_check_encoding($key, 'UTF-8') ? mb_strtolower(rtrim($key)) : $key;
    }

    /** Dates as the texts that they become anyway: all of a column at once, where an object for each would cost more than the rest. */
    private function withPlainDates(Rows $rows): Rows
    {
        $columns = $rows->columns();

        foreach ($columns ?? [] as $name => $values) {
            $columns[$name] = $values instanceof Dates ? $this->dates->texts("{$name}", $values) : $values;
        }

        return $columns === null ? $rows : Rows::ofColumns($columns);
    }

    /** @return list<string> by row, where all rows have the columns and nothing but texts and integers in them; else none */
    private function keys(Rows $rows): array
    {
        $columns = $rows->columns();
        $keys = null;

        foreach ($this->conflict->unique as $column) {
            $texts = [];

            if (! isset($columns[$column])) {
                return [];
            }

            foreach ($columns[$column] as $value) {
                if (! is_string($value) && ! is_int($value)) {
                    return [];
                }

                $texts[] = (string) $value;
            }

            $texts = count($this->conflict->unique) === 1 ? $texts : str_replace("\0", "\0\1", $texts);
            $keys = $keys === null ? $texts : array_map(static fn (string $key, string $text): string => "{$key}\0\0{$text}", $keys, $texts);
        }

        return $keys;
    }

    /** @param non-empty-list<string> $texts */
    private static function joined(array $texts): string
    {
        return implode("\0\0", str_replace("\0", "\0\1", $texts));
    }

    /**
     * @param array<array-key, array{Row, int<0, max>}> $wave
     * @return array{Rows, list<int<0, max>>}
     */
    private function sorted(array $wave): array
    {
        // Most databases take these for the same key, or may: then it is the order of the log that counts.
        $order = array_map(static fn (string|int $key): string => mb_strtolower(rtrim((string) $key)), array_combine(array_keys($wave), array_keys($wave)));
        asort($order, SORT_STRING);
        $sorted = array_values(array_replace($order, $wave));

        /** @var list<array{Row, int<0, max>}> $sorted */
        return [Rows::of(array_column($sorted, 0)), array_column($sorted, 1)];
    }

    /**
     * @param Row $row
     *
     * @throws UnableToMerge
     */
    private function key(array $row): string
    {
        $texts = [];

        foreach ($this->conflict->unique as $column) {
            $texts[] = isset($row[$column]) ? $this->text($column, $row[$column]) : throw UnableToMerge::missing($column, 'unique');
        }

        return count($texts) === 1 ? $texts[0] : self::joined($texts);
    }

    /**
     * As the database will see it.
     *
     * @param scalar|Json|Bytes|Date|DateTimeImmutable $value
     */
    private function text(string $column, mixed $value): string
    {
        return match (true) {
            is_string($value) => $value,
            is_int($value), is_float($value) => (string) $value,
            is_bool($value) => (string) (int) $value,
            $value instanceof Date, $value instanceof DateTimeImmutable => $this->dates->text($column, $value),
            $value instanceof Json => $value->text,
            $value instanceof Bytes => $value->value,
        };
    }
}
