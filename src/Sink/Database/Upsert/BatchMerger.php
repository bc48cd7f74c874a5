<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Upsert;

use DateTimeImmutable;
use Headroom\Core\Batch;
use Headroom\Core\Bytes;
use Headroom\Core\Date;
use Headroom\Core\Dates;
use Headroom\Core\Json;
use Headroom\Core\Rows;
use Headroom\Sink\Database\Dialect\DateColumns;
use Headroom\Sink\Database\RowsRefused;

/**
 * Merges rows with the same key and sorts them by key. All nodes write rows in this order. So one of two concurrent
 * flushes waits for the other, and they do not deadlock.
 *
 * @internal
 *
 * @phpstan-import-type Row from Rows
 */
final readonly class BatchMerger
{
    private RowMerger $merger;

    public function __construct(private string $table, private ConflictResolution $conflict, private DateColumns $dates)
    {
        $comparison = new KeyComparison($dates);
        $this->merger = $conflict->isAggregate()
            ? new SumMerger($conflict, $comparison)
            : new UpsertMerger($conflict, $comparison);
    }

    /**
     * @param bool $isRowByRow one statement per event, in the order of the log; ignored for sums, which need no order
     * @return list<array{Rows, list<int<0, max>>}> statements to run one after the other: their rows, and for each row
     *     the index in the batch of the record that it was made of. No statement has two rows with the same key
     *
     * @throws RowsRefused
     */
    public function merge(Batch $batch, bool $isRowByRow = false): array
    {
        /** @var list<array<array-key, array{Row, int<0, max>}>> $waves */
        $waves = [];
        $last = $latest = [];
        // Sums, minima and maxima do not depend on the order.
        $isSum = $this->conflict->isAggregate();
        $rows = $this->withPlainDates($batch->rows);
        $keys = $this->keys($rows);

        foreach ($rows->all() as $number => $row) {
            try {
                $key = $keys[$number] ?? $this->key($row);
                $row = $this->merger->prepare($row);
            } catch (UnableToMerge $e) {
                throw RowsRefused::unmergeable($this->table, $batch->record($number)->position, $e->getMessage());
            }

            $wave = $last[$key] ?? null;

            $similar = $isSum ? $key : self::similar($key);
            $other = $latest[$similar] ?? $key;
            $latest[$similar] = $key;

            if (($isRowByRow && ! $isSum) || $wave === null || $other !== $key) {
                // The database may treat this key and the similar one before it as equal, and no statement may hold two
                // equal keys. So this row goes into a later one.
                $last[$key] = $isRowByRow && ! $isSum ? count($waves) : (isset($last[$other]) ? $last[$other] + 1 : 0);
                $waves[$last[$key]][$key] = [$row, $number];

                continue;
            }

            $merged = $this->merger->merge($waves[$wave][$key][0], $row);

            if ($merged !== null) {
                $waves[$wave][$key] = [$merged, $waves[$wave][$key][1]];
            } else {
                $waves[$wave + 1][$key] = [$row, $number];
                $last[$key] = $wave + 1;
            }
        }

        return array_map($this->sorted(...), $waves);
    }

    /**
     * Returns the same text for keys that the collation of a column may treat as equal: it may ignore case and trailing
     * blanks.
     */
    private static function similar(string $key): string
    {
        // Columns of bytes compare exactly.
        return mb_check_encoding($key, 'UTF-8') ? mb_strtolower(rtrim($key)) : $key;
    }

    /**
     * Converts a column of dates at once into the texts that the statement needs. An object for each date would cost
     * more than all other work.
     */
    private function withPlainDates(Rows $rows): Rows
    {
        $columns = $rows->columns();

        foreach ($columns ?? [] as $name => $values) {
            $columns[$name] = $values instanceof Dates ? $this->dates->texts("{$name}", $values) : $values;
        }

        return $columns === null ? $rows : Rows::ofColumns($columns);
    }

    /**
     * @return list<string> keys by row; empty if a key column is missing or has a value that is
     *     neither string nor integer
     */
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
            $keys = $keys === null
                ? $texts
                : array_map(static fn (string $key, string $text): string => "{$key}\0\0{$text}", $keys, $texts);
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
        // Many databases treat keys that differ only in case or in trailing blanks as equal. The rows of such keys stay
        // in the order of the log.
        $order = array_map(
            static fn (string|int $key): string => mb_strtolower(rtrim((string) $key)),
            array_combine(array_keys($wave), array_keys($wave)),
        );
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
            $texts[] = isset($row[$column])
                ? $this->text($column, $row[$column])
                : throw UnableToMerge::missing($column, 'unique');
        }

        return count($texts) === 1 ? $texts[0] : self::joined($texts);
    }

    /**
     * The value as the statement binds it.
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
