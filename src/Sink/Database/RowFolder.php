<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use DateTimeImmutable;
use Headroom\Core\Batch;
use Headroom\Core\Bytes;
use Headroom\Core\Date;
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
final readonly class RowFolder
{
    private Folding $folding;

    public function __construct(private string $table, private Conflict $conflict, private string $dateFormat)
    {
        $comparison = new Comparison($dateFormat);
        $this->folding = $conflict->isAggregate() ? new SumFolding($conflict, $comparison) : new UpsertFolding($conflict, $comparison);
    }

    /**
     * @return list<array{Rows, list<int<0, max>>}> to be written one behind the other, in none of them a key twice; with the number of a record behind each row
     *
     * @throws RowsRefused
     */
    public function fold(Batch $batch): array
    {
        /** @var list<array<array-key, array{Row, int<0, max>}>> $waves */
        $waves = [];
        $last = [];

        foreach ($batch->rows->all() as $number => $row) {
            try {
                $key = $this->key($row);
                $row = $this->folding->ready($row);
            } catch (Unfoldable $e) {
                throw RowsRefused::unfoldable($this->table, $batch->record($number)->position, $e->getMessage());
            }

            $wave = $last[$key] ?? 0;
            $before = $waves[$wave][$key][0] ?? null;
            $folded = $before === null ? $row : $this->folding->fold($before, $row);

            if ($folded === null) {
                [$folded, $wave] = [$row, $wave + 1];
            }

            $waves[$wave][$key] = [$folded, $waves[$wave][$key][1] ?? $number];
            $last[$key] = $wave;
        }

        return array_map($this->sorted(...), $waves);
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
     * @throws Unfoldable
     */
    private function key(array $row): string
    {
        $texts = [];

        foreach ($this->conflict->unique as $column) {
            $texts[] = isset($row[$column]) ? $this->text($row[$column]) : throw Unfoldable::missing($column, 'unique');
        }

        return count($texts) === 1 ? $texts[0] : implode("\0\0", str_replace("\0", "\0\1", $texts));
    }

    /**
     * As the database will see it.
     *
     * @param scalar|Json|Bytes|Date|DateTimeImmutable $value
     */
    private function text(mixed $value): string
    {
        return match (true) {
            is_string($value) => $value,
            is_int($value), is_float($value) => (string) $value,
            is_bool($value) => (string) (int) $value,
            $value instanceof Date, $value instanceof DateTimeImmutable => $value->format($this->dateFormat),
            $value instanceof Json => $value->text,
            $value instanceof Bytes => $value->value,
        };
    }
}
