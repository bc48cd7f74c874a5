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
 * Caches prepared statements by columns and number of rows: docs/adr/0022.
 *
 * The batches of a timer differ in size: 331 rows, 347, 328. Preparing a statement for each costs as much as inserting
 * the rows. Statements of 1, 2, 4 ... rows are prepared once and add up to every size.
 *
 * @internal
 */
final class StatementCache
{
    /** Number of cached column lists. A batch with more of them would evict its own statements. */
    public const SHAPES = 3;

    /** Limits of rows and parameters in a cached statement: MariaDB uses half a KiB of memory for each parameter. */
    private const MAX_ROWS = 1_024;

    private const MAX_PARAMETERS = 16_384;

    /**
     * A short flush has some full batches and a remainder. One statement for each size is faster there, so the first
     * sizes are not split.
     */
    private const SIZES = 2;

    /** The connection of all cached statements. */
    private ?PDO $pdo = null;

    /** @var array<string, array<int, PreparedInsert>> by columns and rows; the columns that were used last come last */
    private array $powers = [];

    /** The last statement that held a whole batch. */
    private ?PreparedInsert $whole = null;

    /**
     * @var array<string, int> rows of the last batch by columns: two batches of the same size are probably full, and
     * more will follow
     */
    private array $last = [];

    /** Number of sizes that got a statement of their own. */
    private int $sizes = 0;

    /** @param bool $inPowers false uses as few statements as possible */
    public function __construct(private readonly bool $inPowers) {}

    /**
     * Splits rows into statements, in their order.
     *
     * @param non-empty-list<string> $columns
     * @param int<1, max> $rows
     * @param int<1, max> $most limit of one statement
     * @return non-empty-list<int<1, max>> rows of each statement
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
            // Cached statements would keep the old connection and its transaction open.
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

    /** Drops a statement together with its last values, which the driver keeps. */
    public function drop(PreparedInsert $statement): void
    {
        $this->whole = $this->whole === $statement ? null : $this->whole;

        foreach ($this->powers as $shape => $powers) {
            $this->powers[$shape] = array_filter(
                $powers,
                static fn (PreparedInsert $power): bool => $power !== $statement,
            );
        }
    }

    /**
     * @param non-empty-list<string> $columns
     * @return int<1, max>
     */
    private static function mostRows(array $columns): int
    {
        return max(1, min(self::MAX_ROWS, intdiv(self::MAX_PARAMETERS, count($columns))));
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
