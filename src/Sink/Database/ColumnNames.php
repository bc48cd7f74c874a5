<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Illuminate\Database\Connection;

use function array_map;
use function array_unique;
use function count;
use function implode;
use function str_replace;
use function strtolower;

/**
 * Names of columns as a statement has them. Laravel's grammar takes names apart: `a.b` is a column of a table to it, `a as b`
 * an alias, `a->b` a path in JSON and `*` all of them. An event's keys are names and nothing else.
 *
 * @internal
 */
final readonly class ColumnNames
{
    private function __construct(private string $quote, private bool $isSqlite) {}

    public static function on(Connection $connection): self
    {
        $driver = $connection->getDriverName();

        return new self($driver === 'mysql' || $driver === 'mariadb' ? '`' : '"', $driver === 'sqlite');
    }

    /**
     * Other databases refuse a column that is named twice. SQLite, to which `id` and `ID` are one, takes one of the two values.
     *
     * @param list<string> $names
     */
    public function areDistinct(array $names): bool
    {
        return ! $this->isSqlite || count(array_unique(array_map(strtolower(...), $names))) === count($names);
    }

    public function quoted(string $name): string
    {
        return $this->quote.str_replace($this->quote, $this->quote.$this->quote, $name).$this->quote;
    }

    /** @param list<string> $names */
    public function list(array $names): string
    {
        return implode(', ', array_map($this->quoted(...), $names));
    }
}
