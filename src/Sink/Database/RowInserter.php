<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use DateTimeImmutable;
use Headroom\Core\Batch;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Core\Record;
use Illuminate\Database\Connection;

use function array_keys;
use function count;
use function is_int;
use function is_string;
use function str_contains;
use function strlen;

/**
 * Multi-row inserts. Rows are grouped by their columns and never padded, so that a column's default keeps working.
 *
 * The statement is PDO's own: the query builder prepares anew each time, walks all bindings three times and fires an
 * event that carries a thousand rows. What is bound, and as which type, is what it would have bound.
 *
 * @internal
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

        foreach ($this->groups($batch) as [$columns, $records]) {
            $this->insertGroup($columns, $records);
        }

        $this->connection->recordsHaveBeenModified();
    }

    /** Whether the last batch may have met a statement that was prepared for an earlier one. */
    public function isKept(): bool
    {
        return $this->isKept;
    }

    /** @return list<array{non-empty-list<string>, non-empty-list<Record>}> records with the same columns, in whatever order these are */
    private function groups(Batch $batch): array
    {
        [$groups, $numbers, $lastNames, $number] = [[], [], [], 0];

        foreach ($batch->records as $record) {
            $names = array_keys($record->values);

            if ($names !== $lastNames) {
                $columns = array_map(strval(...), $names);
                sort($columns, SORT_STRING);
                $number = $numbers[serialize($columns)] ??= count($groups);
                $groups[$number] ??= [$columns, []];
                $lastNames = $names;
            }

            $groups[$number][1][] = $record;
        }

        /** @var list<array{non-empty-list<string>, non-empty-list<Record>}> $groups the first record begins a group */
        return $groups;
    }

    /**
     * @param non-empty-list<string> $columns
     * @param non-empty-list<Record> $records
     *
     * @throws RowsRefused
     */
    private function insertGroup(array $columns, array $records): void
    {
        $maxRows = max(1, intdiv($this->maxBindings, count($columns)));
        [$bindings, $rows, $bytes] = [[], 0, 0];

        foreach ($records as $record) {
            foreach ($columns as $column) {
                $value = $record->values[$column];

                if (! is_string($value) && ! is_int($value) && $value !== null) {
                    $value = $this->bindable($column, $value);
                }

                if (is_string($value)) {
                    $bytes += strlen($value);

                    // The driver hands a text parameter to the server as a C string: what follows a NUL would be lost.
                    if ($this->isPostgres && str_contains($value, "\0")) {
                        throw RowsRefused::nulInText($this->table, $column, $record->position);
                    }
                }

                $bindings[] = $value;
            }

            if (++$rows === $maxRows || $bytes > self::MAX_BYTES) {
                $this->execute($columns, $rows, $bindings);
                [$bindings, $rows, $bytes] = [[], 0, 0];
            }
        }

        if ($rows > 0) {
            $this->execute($columns, $rows, $bindings);
        }
    }

    /** @return string|int|float|resource */
    private function bindable(string $column, bool|float|Json|Bytes|DateTimeImmutable $value): mixed
    {
        return match (true) {
            is_bool($value) => (int) $value,
            is_float($value) => $value,
            $value instanceof Json => $value->text,
            $value instanceof Bytes => $this->isPostgres && $this->byteColumns->has($column) ? $this->stream($value->value) : $value->value,
            default => $value->format($this->dateFormat),
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
     * @param list<string|int|float|null|resource> $bindings
     */
    private function execute(array $columns, int $rows, array $bindings): void
    {
        $pdo = $this->connection->getPdo();

        if ($this->prepared === null || ! $this->prepared->fits($pdo, $columns, $rows)) {
            $this->prepared = PreparedInsert::make($pdo, $this->sql($columns, $rows), $columns, $rows);
        }

        $this->prepared->execute($bindings);
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
