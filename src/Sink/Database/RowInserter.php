<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use DateTimeImmutable;
use Headroom\Core\Batch;
use Headroom\Core\Bytes;
use Headroom\Core\Date;
use Headroom\Core\Json;
use Illuminate\Database\Connection;

use function array_column;
use function array_key_first;
use function array_keys;
use function count;

/**
 * Multi-row inserts. Rows are grouped by their columns and never padded, so that a column's default keeps working.
 *
 * The statement is PDO's own: the query builder prepares anew each time, walks all bindings three times and fires an
 * event that carries a thousand rows. What is bound, and as which type, is what it would have bound.
 *
 * @internal
 *
 * @phpstan-type Value scalar|null|Json|Bytes|Date|DateTimeImmutable
 * @phpstan-type Row non-empty-array<string, Value>
 */
final class RowInserter
{
    /** Below what the protocols (65,535) and SQLite (32,766) take. */
    private const MAX_BINDINGS = ['sqlite' => 32_000, 'default' => 65_000];

    /** With the row that exceeds it still below the smallest default of max_allowed_packet, 4 MiB (MySQL 5.7). */
    private const MAX_BYTES = 2_097_152;

    private readonly bool $isPostgres;

    private readonly int $maxBindings;

    private readonly string $dateFormat;

    private ByteColumns $byteColumns;

    private ?PreparedInsert $prepared = null;

    private bool $isKept = false;

    public function __construct(public readonly Connection $connection, private readonly string $table)
    {
        $driver = $connection->getDriverName();
        $this->isPostgres = $driver === 'pgsql';
        $this->maxBindings = self::MAX_BINDINGS[$driver] ?? self::MAX_BINDINGS['default'];
        $this->dateFormat = $connection->getQueryGrammar()->getDateFormat();
        $this->byteColumns = new ByteColumns($connection, $table);
    }

    /** @throws RowsRefused */
    public function insert(Batch $batch): void
    {
        $this->isKept = $this->prepared !== null;
        // A table can change between two batches.
        $this->byteColumns = new ByteColumns($this->connection, $this->table);
        $rows = $batch->rows();

        if ($rows !== []) {
            $this->insertRows($rows, $batch);
        }

        $this->connection->recordsHaveBeenModified();
    }

    /** Whether the last batch may have met a statement that was prepared for an earlier one. */
    public function isKept(): bool
    {
        return $this->isKept;
    }

    /**
     * In one statement where that is possible, and it mostly is.
     *
     * @param non-empty-array<int, Row> $rows by their number in the batch
     *
     * @throws RowsRefused
     */
    private function insertRows(array $rows, Batch $batch): void
    {
        $columns = self::columnsOf($rows[array_key_first($rows)]);
        $isSingle = count($rows) === 1;
        $lists = $isSingle || count($rows) * count($columns) <= $this->maxBindings ? self::lists($rows, $columns) : null;

        if ($lists === null) {
            foreach ($this->pieces($rows) as $piece) {
                $this->insertRows($piece, $batch);
            }
        } elseif ($this->assign($columns, $lists, $rows, $batch) <= self::MAX_BYTES || $isSingle) {
            $this->prepared?->execute();
        } else {
            foreach (array_chunk($rows, max(1, intdiv(count($rows) + 1, 2)), true) as $half) {
                $this->insertRows($half, $batch);
            }
        }
    }

    /**
     * @param Row $row
     * @return non-empty-list<string>
     */
    private static function columnsOf(array $row): array
    {
        $columns = array_map(strval(...), array_keys($row));
        sort($columns, SORT_STRING);

        return $columns;
    }

    /**
     * The rows' values by column.
     *
     * @param non-empty-array<int, Row> $rows
     * @param non-empty-list<string> $columns
     * @return ?list<list<Value>> null when not all rows have just these columns
     */
    private static function lists(array $rows, array $columns): ?array
    {
        // As many values as there should be, and all columns in each row: then none has another.
        if (count($rows, COUNT_RECURSIVE) !== count($rows) * (1 + count($columns))) {
            return null;
        }

        $lists = [];

        foreach ($columns as $column) {
            $list = array_column($rows, $column);

            if (count($list) !== count($rows)) {
                return null;
            }

            $lists[] = $list;
        }

        return $lists;
    }

    /**
     * Rows with the same columns, in whatever order these are, and no more of them than fit into a statement.
     *
     * @param non-empty-array<int, Row> $rows
     * @return list<non-empty-array<int, Row>>
     */
    private function pieces(array $rows): array
    {
        [$groups, $key, $lastNames, $width] = [[], '', [], []];

        foreach ($rows as $number => $row) {
            $names = array_keys($row);

            if ($names !== $lastNames) {
                $key = serialize(self::columnsOf($row));
                $width[$key] = count($names);
                $lastNames = $names;
            }

            $groups[$key][$number] = $row;
        }

        $pieces = [];

        foreach ($groups as $key => $group) {
            array_push($pieces, ...array_chunk($group, max(1, intdiv($this->maxBindings, $width[$key])), true));
        }

        return $pieces;
    }

    /**
     * @param non-empty-list<string> $columns
     * @param list<list<Value>> $lists
     * @param non-empty-array<int, Row> $rows
     * @return int bytes of text
     *
     * @throws RowsRefused
     */
    private function assign(array $columns, array $lists, array $rows, Batch $batch): int
    {
        $pdo = $this->connection->getPdo();

        if ($this->prepared === null || ! $this->prepared->fits($pdo, $columns, count($rows))) {
            $this->prepared = PreparedInsert::make($pdo, $this->sql($columns, count($rows)), $columns, count($rows));
        }

        $bytes = 0;

        foreach ($columns as $number => $column) {
            $bytes += $this->prepared->assign($number, $lists[$number], function (mixed $value) use ($column): mixed {
                /** @var bool|float|Json|Bytes|Date|DateTimeImmutable $value */
                return $this->bindable($column, $value);
            });

            // The driver hands a text parameter to the server as a C string: what follows a NUL would be lost.
            if ($this->isPostgres && ($row = $this->prepared->rowWithNul($number)) !== null) {
                throw RowsRefused::nulInText($this->table, $column, $batch->record(max(0, array_keys($rows)[$row]))->position);
            }
        }

        return $bytes;
    }

    /**
     * No types in the signature: of a union with classes that are not loaded PHP looks for each by its name, every time.
     *
     * @param bool|float|Json|Bytes|Date|DateTimeImmutable $value
     * @return string|int|float|resource
     */
    private function bindable(string $column, mixed $value): mixed
    {
        return match (true) {
            $value instanceof Date, $value instanceof DateTimeImmutable => $value->format($this->dateFormat),
            is_bool($value) => (int) $value,
            is_float($value) => $value,
            $value instanceof Json => $value->text,
            $value instanceof Bytes => $this->isPostgres && $this->byteColumns->has($column) ? $this->stream($value->value) : $value->value,
        };
    }

    /** @return resource the form in which PDO sends a parameter byte for byte */
    private function stream(string $bytes): mixed
    {
        $stream = fopen('php://memory', 'w+');

        if ($stream === false) {
            throw UnableToInsert::outOfStreams($this->table);
        }

        fwrite($stream, $bytes);
        rewind($stream);

        return $stream;
    }

    /**
     * @param non-empty-list<string> $columns
     * @param int<1, max> $rows
     */
    private function sql(array $columns, int $rows): string
    {
        $grammar = $this->connection->getQueryGrammar();
        $row = '('.implode(', ', array_fill(0, count($columns), '?')).')';

        return 'insert into '.$grammar->wrapTable($this->table).' ('.$grammar->columnize($columns).') values '.implode(', ', array_fill(0, $rows, $row));
    }
}
