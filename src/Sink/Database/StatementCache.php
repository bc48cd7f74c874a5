<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Closure;
use PDO;

use function array_fill;
use function array_filter;
use function array_key_first;
use function count;
use function implode;
use function intdiv;
use function log;
use function max;
use function min;

/**
 * Statements that the server knows already, of as many rows as batches are made of: docs/adr/0022.
 *
 * What a timer takes differs from one time to the next: 331 rows, 347, 328. To prepare a statement for each costs as much as
 * to insert them. Powers of two make every number, and are prepared once.
 *
 * @internal
 */
final class StatementCache
{
    /** Sets of columns. A batch with more of them would only push each other's statements out. */
    public const SHAPES = 3;

    /** Rows in one statement of a power of two, and parameters: MariaDB takes half a KiB of memory for each. */
    private const MOST_ROWS = 1_024;

    private const MOST_PARAMETERS = 16_384;

    /** A flush that ends soon, with some full batches and a rest, is better off with one statement for each. */
    private const SIZES = 2;

    /** Of which all statements are. */
    private ?PDO $pdo = null;

    /** @var array<string, array<int, PreparedInsert>> by columns and rows; the shape that was used last is behind */
    private array $powers = [];

    /** The last one of as many rows as a batch. */
    private ?PreparedInsert $whole = null;

    /** @var array<string, int> rows of the last batch of a shape: one of as many is likely to be full, with more of them to come */
    private array $last = [];

    /** How many sizes have had a statement of their own. */
    private int $sizes = 0;

    /** @param bool $inPowers false is as few statements as possible */
    public function __construct(private readonly bool $inPowers) {}

    /**
     * How many of these rows go into one statement each, in their order.
     *
     * @param non-empty-list<string> $columns
     * @param int<1, max> $rows
     * @param int<1, max> $most that a statement takes
     * @return non-empty-list<int<1, max>>
     */
    public function portions(array $columns, int $rows, int $most): array
    {
        if (! $this->inPowers) {
            return self::even($rows, $most);
        }

        $shape = implode("\0", $columns);
        $isAsBefore = ($this->last[$shape] ?? 0) === $rows;
        $this->last = [$shape => $rows] + (count($this->last) > self::SHAPES ? [] : $this->last);

        if ($rows <= $most && ($isAsBefore || $this->sizes++ < self::SIZES)) {
            return [$rows];
        }

        $portions = [];

        for ($power = 1 << (int) log(min($rows, $most, self::mostRows($columns)), 2); $power > 0; $power >>= 1) {
            for (; $rows >= $power; $rows -= $power) {
                $portions[] = $power;
            }
        }

        /** @var non-empty-list<int<1, max>> $portions */
        return $portions;
    }

    /**
     * @param non-empty-list<string> $columns
     * @param int<1, max> $rows
     * @param Closure(): string $sql
     */
    public function statement(PDO $pdo, array $columns, int $rows, Closure $sql): PreparedInsert
    {
        if ($this->pdo !== $pdo) {
            // They would keep the old connection, and what is open on it.
            [$this->pdo, $this->powers, $this->whole] = [$pdo, [], null];
        }

        $shape = implode("\0", $columns);
        $make = static fn (): PreparedInsert => PreparedInsert::make($pdo, $sql(), $columns, $rows);

        if (! $this->inPowers || ($rows & ($rows - 1)) !== 0 || $rows > self::mostRows($columns)) {
            $this->whole = $this->whole?->fits($columns, $rows) === true ? $this->whole : $make();

            return $this->whole;
        }

        $powers = $this->powers[$shape] ?? [];
        unset($this->powers[$shape]);

        if (count($this->powers) >= self::SHAPES) {
            unset($this->powers[array_key_first($this->powers)]);
        }

        $this->powers[$shape] = $powers + [$rows => $powers[$rows] ?? $make()];

        return $this->powers[$shape][$rows];
    }

    /** With the values that it was given last, which its driver keeps. */
    public function drop(PreparedInsert $statement): void
    {
        $this->whole = $this->whole === $statement ? null : $this->whole;

        foreach ($this->powers as $shape => $powers) {
            $this->powers[$shape] = array_filter($powers, static fn (PreparedInsert $power): bool => $power !== $statement);
        }
    }

    /**
     * @param non-empty-list<string> $columns
     * @return int<1, max>
     */
    private static function mostRows(array $columns): int
    {
        return max(1, min(self::MOST_ROWS, intdiv(self::MOST_PARAMETERS, count($columns))));
    }

    /**
     * @param int<1, max> $rows
     * @param int<1, max> $most
     * @return non-empty-list<int<1, max>>
     */
    private static function even(int $rows, int $most): array
    {
        $number = intdiv($rows + $most - 1, $most);
        $portions = array_fill(0, $number, intdiv($rows, $number));

        for ($left = $rows % $number; $left > 0; $left--) {
            $portions[$left - 1]++;
        }

        /** @var non-empty-list<int<1, max>> $portions */
        return $portions;
    }
}
