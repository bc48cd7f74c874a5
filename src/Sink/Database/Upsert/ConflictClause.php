<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Upsert;

use Headroom\Sink\Database\Dialect\ColumnNames;
use Headroom\Sink\Database\Dialect\MysqlVersion;
use Illuminate\Database\Connection;

/**
 * The parts of an insert that handle an existing row, in the dialect of each driver.
 *
 * @internal
 */
final readonly class ConflictClause
{
    private const FAMILY = ['mysql', 'mariadb'];

    /**
     * MySQL deprecates VALUES() from this version on; MariaDB has no alias.
     * https://dev.mysql.com/doc/refman/8.4/en/insert-on-duplicate.html
     */
    private const WITH_ALIAS = '8.0.19';

    /** SQLite turns the sum of two large integers into a float. This expression raises "integer overflow" instead. */
    private const OVERFLOW = 'abs(-9223372036854775807 - 1)';

    private ColumnNames $names;

    /**
     * @param string $stored name of the existing row
     * @param ?string $incoming name of the new row; null means VALUES(column)
     */
    private function __construct(
        Connection $connection,
        private ConflictResolution $conflict,
        private string $driver,
        private string $stored,
        private ?string $incoming,
    ) {
        $this->names = ColumnNames::on($connection);
    }

    public static function on(Connection $connection, string $table, ConflictResolution $conflict): self
    {
        $driver = $connection->getDriverName();

        if (! in_array($driver, self::FAMILY, true)) {
            return new self($connection, $conflict, $driver, 'stored', 'excluded');
        }

        $version = MysqlVersion::of($connection->getPdo());
        $hasAlias = $version !== null && version_compare($version, self::WITH_ALIAS, '>=');

        return new self(
            $connection,
            $conflict,
            $driver,
            $connection->getQueryGrammar()->wrapTable($table),
            $hasAlias ? 'incoming' : null,
        );
    }

    /** The part after the table name. */
    public function alias(): string
    {
        return $this->isMysql() ? '' : ' as stored';
    }

    /**
     * The part after the rows.
     *
     * @param non-empty-list<string> $columns columns of the rows
     */
    public function sql(array $columns): string
    {
        $set = $this->conflict->isAggregate() ? $this->additions($columns) : $this->replacements($columns);

        if ($this->isMysql()) {
            // MySQL requires an assignment, so assign a column to itself.
            $set = $set === [] ? [$this->conflict->unique[0] => $this->stored($this->conflict->unique[0])] : $set;

            return ($this->incoming === null ? '' : " as {$this->incoming}").' on duplicate key update '
                .$this->assignments($set);
        }

        $target = ' on conflict ('.$this->names->list($this->conflict->unique).')';

        return $set === []
            ? "{$target} do nothing"
            : "{$target} do update set ".$this->assignments($set).$this->condition();
    }

    /**
     * @param non-empty-list<string> $columns
     * @return array<string, string> expression by column
     */
    private function replacements(array $columns): array
    {
        $newer = $this->conflict->newer;
        $update = array_values(array_diff($columns, $this->conflict->unique));

        if ($this->conflict->update !== null) {
            $update = array_values(array_intersect($update, $this->conflict->update));
        }

        if ($newer === null || ! $this->isMysql()) {
            return array_combine($update, array_map($this->incoming(...), $update));
        }

        // MySQL assigns from left to right, and later expressions see the new values, so the compared column comes
        // last.
        $update = [...array_values(array_diff($update, [$newer])), $newer];

        return array_combine(
            $update,
            array_map(
                fn (string $column): string => "case when {$this->isNewer($newer)} then {$this->incoming($column)} else"
                    ." {$this->stored($column)} end",
                $update,
            ),
        );
    }

    /**
     * @param non-empty-list<string> $columns
     * @return array<string, string> expression by column
     */
    private function additions(array $columns): array
    {
        $set = [];

        foreach (array_intersect($this->conflict->sum, $columns) as $column) {
            $set[$column] = $this->sum($column);
        }

        foreach (['max' => '>', 'min' => '<'] as $what => $than) {
            foreach (array_intersect($this->conflict->{$what}, $columns) as $column) {
                [$stored, $incoming] = [$this->stored($column), $this->incoming($column)];
                $set[$column] =
                    "case when {$stored} is null or {$incoming} {$than} {$stored} then {$incoming} else {$stored} end";
            }
        }

        return $set;
    }

    private function sum(string $column): string
    {
        [$stored, $incoming] = ["coalesce({$this->stored($column)}, 0)", $this->incoming($column)];
        $sum = "{$stored} + {$incoming}";

        return $this->driver === 'sqlite'
            ? "case when typeof({$stored}) = 'integer' and typeof({$incoming}) = 'integer' and typeof({$sum}) <> "
                ."'integer' then "
                .self::OVERFLOW." else {$sum} end"
            : $sum;
    }

    private function condition(): string
    {
        return $this->conflict->newer === null ? '' : ' where '.$this->isNewer($this->conflict->newer);
    }

    /** An equal value counts as newer, so the row that is flushed last wins. */
    private function isNewer(string $column): string
    {
        return "{$this->stored($column)} is null or {$this->incoming($column)} >= {$this->stored($column)}";
    }

    /** @param array<string, string> $set */
    private function assignments(array $set): string
    {
        return implode(
            ', ',
            array_map(
                fn (string|int $column, string $expression): string => $this->names->quoted("{$column}")
                    ." = {$expression}",
                array_keys($set),
                $set,
            ),
        );
    }

    private function stored(string $column): string
    {
        return "{$this->stored}.{$this->names->quoted($column)}";
    }

    private function incoming(string $column): string
    {
        return $this->incoming === null
            ? "values({$this->names->quoted($column)})"
            : "{$this->incoming}.{$this->names->quoted($column)}";
    }

    private function isMysql(): bool
    {
        return in_array($this->driver, self::FAMILY, true);
    }
}
