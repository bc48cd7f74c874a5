<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Closure;
use Headroom\Sink\Database\Dialect\DatabaseError;
use Headroom\Sink\Database\Dialect\MysqlVersion;
use PDO;
use PDOStatement;

use function array_count_values;
use function count;
use function fstat;
use function implode;
use function is_float;
use function is_int;
use function is_resource;
use function is_string;
use function str_contains;
use function strlen;

/**
 * One prepared multi-row insert, kept for the next rows of the same shape.
 *
 * Its parameters are bound by reference, so that the next rows only assign them: binding is half of the time that PHP
 * spends on a row. Values are assigned column by column, because a column mostly holds one type.
 *
 * @internal
 */
final class PreparedInsert
{
    /** @var array<int, array<int, mixed>> the referenced values, by column and row */
    private array $values = [];

    /**
     * @var array<int, array<int, int>> the bound type of each parameter; a stream has none, because it is bound by
     * value
     */
    private array $types = [];

    /** @var array<int, int> the type of a column whose parameters all have the same bound type */
    private array $common = [];

    /** @var array<int, int> the type for binding a null, so that the column keeps a common type */
    private array $ofNull = [];

    private PDOStatement $statement;

    private readonly bool $keepsTypes;

    private bool $wasExecuted = false;

    /** True if the server would change one of the current values, because of the types that it has inferred. */
    private bool $isOutdated = false;

    private bool $hasDoubles = false;

    /**
     * @param non-empty-list<string> $columns
     * @param int<1, max> $rows
     */
    private function __construct(
        private readonly PDO $pdo,
        private readonly string $sql,
        private readonly array $columns,
        private readonly int $rows,
    ) {
        $this->statement = $pdo->prepare($sql);
        // MySQL 8.0.22 and later gives a parameter the type of an earlier value: after an integer it reads '007' as 7,
        // and after 1E-300 it rounds a large DECIMAL to a double. https://dev.mysql.com/doc/refman/8.4/en/prepare.html
        $this->keepsTypes = MysqlVersion::of($pdo) !== null;
    }

    /**
     * @param non-empty-list<string> $columns
     * @param int<1, max> $rows
     */
    public static function make(PDO $pdo, string $sql, array $columns, int $rows): self
    {
        return new self($pdo, $sql, $columns, $rows);
    }

    /** @param non-empty-list<string> $columns */
    public function fits(array $columns, int $rows): bool
    {
        return $this->rows === $rows && $this->columns === $columns;
    }

    /**
     * @template TValue
     *
     * @param int<0, max> $column index of the column
     * @param list<TValue> $list the values of the column, one per row
     * @param Closure(TValue): (string|int|float|resource) $plain converts a value that is not a string, an integer or
     * null
     * @return int bytes of text in the values
     */
    public function assign(int $column, array $list, Closure $plain): int
    {
        $this->values[$column] ??= [];
        $this->ofNull[$column] ??= self::typeForNull($list);
        $values = &$this->values[$column];
        $common = $this->common[$column] ?? null;
        $bytes = 0;

        // A batch of a thousand rows runs this loop for each column, so the values of the column's type take the short
        // path.
        foreach ($list as $row => $value) {
            if (is_string($value)) {
                $bytes += strlen($value);

                if ($common === PDO::PARAM_STR) {
                    $values[$row] = $value;

                    continue;
                }
            } elseif ($value === null ? $common !== null : is_int($value) && $common === PDO::PARAM_INT) {
                $values[$row] = $value;

                continue;
            } elseif ($value !== null && ! is_int($value)) {
                $value = $plain($value);
                $bytes += is_string($value) ? strlen($value) : (is_resource($value) ? fstat($value)['size'] ?? 0 : 0);

                if ($common === PDO::PARAM_STR && is_string($value)) {
                    $values[$row] = $value;

                    continue;
                }
            }

            $this->bind($column, $row, $value);
        }

        if ($common === null || ! isset($this->common[$column])) {
            $this->findCommon($column);
        }

        $this->hasDoubles = $this->hasDoubles || ($this->keepsTypes && self::holdsDouble($list));

        return $bytes;
    }

    /** @return ?int the first row whose value contains a NUL byte */
    public function rowWithNul(int $column): ?int
    {
        /** @var array<int, string|int|null> $values */
        $values = $this->values[$column] ?? [];

        // Search all values at once first: NUL bytes are rare.
        if (! str_contains(implode('', $values), "\0")) {
            return null;
        }

        foreach ($values as $row => $value) {
            if (is_string($value) && str_contains($value, "\0")) {
                return $row;
            }
        }

        return null;
    }

    public function execute(): void
    {
        if ($this->isOutdated) {
            $this->prepareAgain();
        }

        [$this->wasExecuted, $this->isOutdated, $this->hasDoubles] = [true, $this->hasDoubles, false];
        $this->statement->execute() || throw DatabaseError::silentFailure($this->statement);
    }

    /** @param string|int|float|resource|null $value */
    private function bind(int $column, int $row, mixed $value): void
    {
        $parameter = $row * count($this->columns) + $column + 1;

        if (is_resource($value)) {
            $this->statement->bindValue($parameter, $value, PDO::PARAM_LOB);
            unset($this->types[$column][$row], $this->values[$column][$row], $this->common[$column]);

            return;
        }

        $bound = $this->types[$column][$row] ?? null;

        // A null can be bound as any type.
        $type = $value === null ? $bound ?? $this->ofNull[$column] : (is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR);

        if ($bound !== $type) {
            $this->isOutdated = $this->isOutdated || ($this->keepsTypes && $this->wasExecuted);
            $this->values[$column][$row] = null;
            $this->statement->bindParam($parameter, $this->values[$column][$row], $type);
            $this->types[$column][$row] = $type;
            unset($this->common[$column]);
        }

        // As bindValue() would convert it: a driver may format a float in another way.
        $this->values[$column][$row] = is_float($value) ? (string) $value : $value;
    }

    private function prepareAgain(): void
    {
        [$values, $this->statement, $this->wasExecuted] = [$this->values, $this->pdo->prepare($this->sql), false];
        [$this->values, $this->types, $this->common, $this->ofNull] = [[], [], [], []];

        foreach ($values as $column => $ofRows) {
            $list = [];

            // Copy one by one: the elements are references that the old statement is bound to.
            foreach ($ofRows as $value) {
                $list[] = $value;
            }

            /** @var int<0, max> $column */
            /** @var list<string|int|float|null> $list */
            $this->assign($column, $list, static fn (string|int|float|null $value): string|int|float => $value ?? '');
        }
    }

    /**
     * True if MySQL would parse a number as a double because its DECIMAL (at most 81 digits in a literal) cannot hold
     * it.
     *
     * @param list<mixed> $list
     */
    private static function holdsDouble(array $list): bool
    {
        foreach ($list as $value) {
            if ((! is_string($value) && ! is_float($value)) || ! is_numeric($value)) {
                continue;
            }

            [$size, $text] = [abs((float) $value), (string) $value];

            // A number that is too small for a float becomes 0.0.
            if (strlen($text) > 32 || ($size < 1e-45 && ($size > 0.0 || stripos($text, 'e') !== false))) {
                return true;
            }
        }

        return false;
    }

    /** @param list<mixed> $list */
    private static function typeForNull(array $list): int
    {
        foreach ($list as $value) {
            if ($value !== null) {
                return is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR;
            }
        }

        return PDO::PARAM_STR;
    }

    private function findCommon(int $column): void
    {
        $numbers = array_count_values($this->types[$column] ?? []);

        if (count($numbers) === 1 && reset($numbers) === $this->rows) {
            $this->common[$column] = array_key_first($numbers);
        } else {
            unset($this->common[$column]);
        }
    }
}
