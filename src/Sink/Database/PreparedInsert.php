<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Closure;
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
 * One multi-row insert as the server knows it, kept for the next rows of the same shape.
 *
 * Its parameters are bound by reference, so that the next rows are assigned only: binding is half of what PHP does for a row.
 * A column at a time, since what a column holds is mostly of one type.
 *
 * @internal
 */
final class PreparedInsert
{
    /** @var array<int, array<int, mixed>> what the parameters refer to, by column and row */
    private array $values = [];

    /** @var array<int, array<int, int>> as which type each is bound; none for a stream, which is bound by value */
    private array $types = [];

    /** @var array<int, int> the type of a column whose parameters are all bound as the same */
    private array $common = [];

    /** @var array<int, int> as which type a null is bound, so that it does not spoil its column */
    private array $ofNull = [];

    private PDOStatement $statement;

    private readonly bool $keepsTypes;

    private bool $wasExecuted = false;

    /** Whether its parameters have got values that the statement, as the server has it now, would change. */
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
        // MySQL 8.0.22 and later gives a parameter the type of a value that it had: behind an integer '007' arrives as
        // 7, and behind 1E-300 a large DECIMAL is rounded as a double.
        // https://dev.mysql.com/doc/refman/8.4/en/prepare.html
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
     * @param int<0, max> $column its number
     * @param list<TValue> $list its values, one per row
     * @param Closure(TValue): (string|int|float|resource) $plain for what is neither string nor integer nor null
     * @return int bytes of text in it
     */
    public function assign(int $column, array $list, Closure $plain): int
    {
        $this->values[$column] ??= [];
        $this->ofNull[$column] ??= self::typeForNull($list);
        $values = &$this->values[$column];
        $common = $this->common[$column] ?? null;
        $bytes = 0;

        // A thousand rows go through this loop a column at a time; whatever is not of the column's type leaves it.
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

    /** @return ?int the first row whose value has a NUL byte */
    public function rowWithNul(int $column): ?int
    {
        /** @var array<int, string|int|null> $values */
        $values = $this->values[$column] ?? [];

        // All at once first: it hardly ever is so.
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
        $this->statement->execute() || throw DatabaseError::unsaid($this->statement);
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

        // Null is null as any type.
        $type = $value === null ? $bound ?? $this->ofNull[$column] : (is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR);

        if ($bound !== $type) {
            $this->isOutdated = $this->isOutdated || ($this->keepsTypes && $this->wasExecuted);
            $this->values[$column][$row] = null;
            $this->statement->bindParam($parameter, $this->values[$column][$row], $type);
            $this->types[$column][$row] = $type;
            unset($this->common[$column]);
        }

        // As bindValue() would make it; a driver may send a float as what it is otherwise.
        $this->values[$column][$row] = is_float($value) ? (string) $value : $value;
    }

    private function prepareAgain(): void
    {
        [$values, $this->statement, $this->wasExecuted] = [$this->values, $this->pdo->prepare($this->sql), false];
        [$this->values, $this->types, $this->common, $this->ofNull] = [[], [], [], []];

        foreach ($values as $column => $ofRows) {
            $list = [];

            // One by one: the elements are references that the statement before is bound to.
            foreach ($ofRows as $value) {
                $list[] = $value;
            }

            /** @var int<0, max> $column */
            /** @var list<string|int|float|null> $list */
            $this->assign($column, $list, static fn (string|int|float|null $value): string|int|float => $value ?? '');
        }
    }

    /**
     * A number that no DECIMAL of MySQL, 81 digits as it reads them, may hold.
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

            // What is too small for a float is 0.0.
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
