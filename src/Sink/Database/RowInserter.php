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
use Headroom\Sink\Database\Dialect\ByteColumns;
use Headroom\Sink\Database\Dialect\ColumnNames;
use Headroom\Sink\Database\Dialect\DatabaseError;
use Headroom\Sink\Database\Dialect\DateColumns;
use Headroom\Sink\Database\Dialect\ServerLimits;
use Headroom\Sink\Database\Upsert\BatchMerger;
use Headroom\Sink\Database\Upsert\ConflictClause;
use Headroom\Sink\Database\Upsert\ConflictResolution;
use Illuminate\Database\Connection;
use LogicException;
use PDO;
use PDOException;

use function array_keys;
use function count;

/**
 * Inserts or upserts many rows with one statement. Rows are grouped by their columns and never padded with nulls, so
 * that the default of a column applies.
 *
 * It uses PDO statements. The query builder prepares every time, walks all bindings three times and fires an event that
 * carries a thousand rows. Values and types are bound as the query builder would bind them.
 *
 * @internal
 *
 * @phpstan-import-type Column from Rows
 * @phpstan-import-type Row from Rows
 */
final class RowInserter
{
    /** Larger statements are not faster. */
    private const MAX_BYTES = 2_097_152;

    /** Largest size of the values in a cached statement, because the statement holds them until the next batch. */
    private const KEPT_BYTES = 1_048_576;

    public readonly Connection $connection;

    private readonly bool $isPostgres;

    /** The driver puts the values into the SQL text, as connection poolers require. */
    private readonly bool $isEmulated;

    private readonly ColumnNames $columnNames;

    private readonly ServerLimits $limits;

    private ByteColumns $byteColumns;

    private readonly StatementCache $inPowers;

    private readonly StatementCache $whole;

    /** A property, because an argument would appear in the stack traces of exceptions and keep the connection open. */
    private ?PreparedInsert $statement = null;

    /** True if batches are split into powers of two. */
    private readonly bool $isSplit;

    private readonly ?ConflictClause $clause;

    private readonly ?BatchMerger $merger;

    /**
     * @param bool $isRowByRow puts each row into a statement of its own
     * @param bool $isRepeated true if many batches follow; only then is it worth caching statements
     */
    public function __construct(
        private readonly DateColumns $dates,
        private readonly string $table,
        ?ConflictResolution $conflict = null,
        private readonly bool $isRowByRow = false,
        bool $isRepeated = false,
    ) {
        $this->connection = $connection = $dates->connection;
        $this->isPostgres = $connection->getDriverName() === 'pgsql';
        $this->isEmulated = $this->isPostgres && (bool) $connection->getPdo()->getAttribute(PDO::ATTR_EMULATE_PREPARES);
        $this->columnNames = ColumnNames::on($connection);
        $this->limits = ServerLimits::of($connection);
        $this->byteColumns = new ByteColumns($connection, $table);
        $this->inPowers = new StatementCache(true);
        $this->whole = new StatementCache(false);
        // PostgreSQL detects equal keys only within one statement; see $isRowByRow.
        $this->isSplit = $isRepeated && ($conflict === null || ! $this->isPostgres || $isRowByRow);
        $this->clause = $conflict === null ? null : ConflictClause::on($connection, $table, $conflict);
        $this->merger = $conflict === null ? null : new BatchMerger($table, $conflict, $dates);
    }

    /** @throws RowsRefused */
    public function insert(Batch $batch): void
    {
        // The table may change between two batches.
        $this->byteColumns = new ByteColumns($this->connection, $this->table);

        if ($this->merger !== null) {
            foreach ($this->merger->merge($batch, $this->isRowByRow) as [$rows, $numbers]) {
                $this->insertRows($rows, $numbers, $batch, $this->isSplit);
            }
        } elseif (count($batch) > 0) {
            $this->insertRows($batch->rows, range(0, count($batch) - 1), $batch, $this->isSplit);
        }

        $this->connection->recordsHaveBeenModified();
    }

    /**
     * @param list<int<0, max>> $numbers index in the batch of each row's record
     *
     * @throws RowsRefused
     */
    private function insertRows(Rows $rows, array $numbers, Batch $batch, bool $isSplit): void
    {
        $columns = $rows->columns();

        if ($columns === null) {
            $groups = $this->groups($rows);

            foreach ($groups as $group) {
                $this->insertRows(
                    Rows::of(array_values($group)),
                    array_map(static fn (int $row): int => $numbers[$row], array_keys($group)),
                    $batch,
                    $isSplit && count($groups) <= StatementCache::SHAPES,
                );
            }

            return;
        }

        // All events get the same order of columns, so that cached statements fit.
        ksort($columns, SORT_STRING);
        $names = array_map(strval(...), array_keys($columns));
        $this->columnNames->areDistinct($names)
            || throw RowsRefused::columnNamedTwice($this->table, $batch->record($numbers[0])->position);
        $rows = Rows::ofColumns($columns);
        $from = 0;
        $most = $this->mostRows($names, $batch, $numbers);
        $most = $this->isRowByRow ? 1 : $most;

        foreach ($this->kept($isSplit)->portions($names, max(1, count($rows)), $most) as $portion) {
            try {
                $this->insertPortion(
                    $rows->slice($from, $portion),
                    $names,
                    array_slice($numbers, $from, $portion),
                    $batch,
                    $isSplit,
                );
            } catch (PDOException $e) {
                throw $this->misread($names, $e) ?? $e;
            }

            $from += $portion;
        }
    }

    /**
     * PDO also searches for placeholders in names that MySQL and MariaDB quote with backticks.
     *
     * @param non-empty-list<string> $names
     */
    private function misread(array $names, PDOException $e): ?RowsRefused
    {
        $misread = DatabaseError::isPlaceholderMismatch($e)
            ? array_values(array_filter($names, static fn (string $name): bool => strpbrk($name, ':?') !== false))
            : [];

        return $misread === [] ? null : RowsRefused::misreadName($this->table, $misread[0]);
    }

    /**
     * The largest number of rows in one statement.
     *
     * @param non-empty-list<string> $names
     * @param list<int<0, max>> $numbers
     * @return int<1, max>
     *
     * @throws RowsRefused a single row is too large
     */
    private function mostRows(array $names, Batch $batch, array $numbers): int
    {
        $rows = count($names) > $this->limits->columns ? 0 : intdiv($this->limits->parameters, count($names));

        for (; $rows > 0; $rows = intdiv($rows, 2)) {
            if ($this->limits->fitText($this->sqlBytes($names, $rows))) {
                return $rows;
            }
        }

        throw RowsRefused::tooLarge($this->table, $batch->record($numbers[0])->position);
    }

    /**
     * Inserts the rows in one statement, or in halves if the server could not take the statement.
     *
     * @param non-empty-list<string> $names
     * @param list<int<0, max>> $numbers
     *
     * @throws RowsRefused
     */
    private function insertPortion(Rows $rows, array $names, array $numbers, Batch $batch, bool $isSplit): void
    {
        $all = max(1, count($numbers));
        $this->statement = $this->kept($isSplit)
            ->statement($this->connection->getPdo(), $names, $all, fn (): string => $this->sql($names, $all));
        $bytes = $this->assign($names, $rows, $numbers, $batch);
        $isSmall = $this->limits->fit($this->sqlBytes($names, $all), $bytes, $all * count($names));
        $fits = $isSmall && ($bytes <= self::MAX_BYTES || $all === 1);

        if (! $isSmall && $all === 1) {
            throw RowsRefused::tooLarge($this->table, $batch->record($numbers[0])->position);
        }

        if ($fits) {
            $this->statement->execute();
        }

        if ($bytes > self::KEPT_BYTES) {
            $this->kept($isSplit)->drop($this->statement);
        }

        $this->statement = null;

        if (! $fits) {
            $half = max(0, intdiv($all, 2));
            $this->insertPortion($rows->slice(0, $half), $names, array_slice($numbers, 0, $half), $batch, $isSplit);
            $this->insertPortion($rows->slice($half, $all), $names, array_slice($numbers, $half), $batch, $isSplit);
        }
    }

    private function kept(bool $isSplit): StatementCache
    {
        return $isSplit ? $this->inPowers : $this->whole;
    }

    /**
     * @return array<string, non-empty-array<int<0, max>, Row>> rows with the same columns in any order, by their index
     */
    private function groups(Rows $rows): array
    {
        [$groups, $key, $lastNames] = [[], '', []];

        foreach ($rows->all() as $number => $row) {
            $names = array_keys($row);

            if ($names !== $lastNames) {
                $lastNames = $names;
                sort($names, SORT_STRING);
                $key = serialize($names);
            }

            $groups[$key][$number] = $row;
        }

        return $groups;
    }

    /**
     * @param non-empty-list<string> $names
     * @param list<int<0, max>> $numbers
     * @return int bytes of text
     *
     * @throws RowsRefused
     */
    private function assign(array $names, Rows $rows, array $numbers, Batch $batch): int
    {
        $statement = $this->statement ?? throw new LogicException('No statement is prepared.');
        $bytes = 0;

        foreach (array_values($rows->columns() ?? []) as $number => $values) {
            $name = $names[$number];
            $bytes += $statement->assign(
                $number,
                $this->plain($name, $values),
                function (mixed $value) use ($name): mixed {
                    /** @var bool|float|Json|Bytes|Date|DateTimeImmutable $value */
                    return $this->bindable($name, $value);
                },
            );

            // The driver passes a text parameter to the server as a C string, so the text after a NUL would be lost.
            if ($this->isPostgres && ($row = $statement->rowWithNul($number)) !== null) {
                throw RowsRefused::nulInText($this->table, $name, $batch->record($numbers[$row])->position);
            }
        }

        return $bytes;
    }

    /**
     * In the text of a statement PostgreSQL parses a quoted value by the column's type, as it does with a parameter. An
     * unquoted number already has a type, and PostgreSQL does not convert it to a boolean.
     *
     * @param Column $values
     * @return list<mixed>
     */
    private function plain(string $name, Dates|array $values): array
    {
        $plain = $values instanceof Dates ? $this->dates->texts($name, $values) : $values;

        return $this->isEmulated
            ? array_map(
                static fn (mixed $value): mixed => is_int($value) || is_bool($value) ? (string) (int) $value : $value,
                $plain,
            )
            : $plain;
    }

    /**
     * The signature has no types: for a union with classes that are not loaded, PHP looks each class up at every call.
     *
     * @param bool|float|Json|Bytes|Date|DateTimeImmutable $value
     * @return string|int|float|resource
     */
    private function bindable(string $column, mixed $value): mixed
    {
        return match (true) {
            $value instanceof Date, $value instanceof DateTimeImmutable => $this->dates->text($column, $value),
            is_bool($value) => (int) $value,
            is_float($value) => $value,
            $value instanceof Json => $value->text,
            $value instanceof Bytes => $this->isPostgres && $this->byteColumns->has($column)
                ? $this->stream($value->value)
                : $value->value,
        };
    }

    /** @return resource PDO sends a stream byte for byte */
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
        return $this->head($columns).implode(', ', array_fill(0, $rows, self::placeholders($columns)))
            .$this->clause?->sql($columns);
    }

    /**
     * @param non-empty-list<string> $columns
     * @param int<1, max> $rows
     */
    private function sqlBytes(array $columns, int $rows): int
    {
        return strlen($this->head($columns)) + $rows * (strlen(self::placeholders($columns)) + 2)
            + strlen($this->clause?->sql($columns) ?? '');
    }

    /** @param non-empty-list<string> $columns */
    private function head(array $columns): string
    {
        $table = $this->connection->getQueryGrammar()->wrapTable($this->table);

        return "insert into {$table}{$this->clause?->alias()} ({$this->columnNames->list($columns)}) values ";
    }

    /** @param non-empty-list<string> $columns */
    private static function placeholders(array $columns): string
    {
        return '('.implode(', ', array_fill(0, count($columns), '?')).')';
    }
}
