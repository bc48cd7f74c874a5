<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Dialect;

use Illuminate\Database\Connection;

use function array_map;
use function array_unique;
use function count;
use function implode;
use function str_replace;
use function strtolower;

/**
 * Quotes column names. Laravel's grammar interprets names: it reads `a.b` as a column of a table, `a as b` as an alias,
 * `a->b` as a path in JSON and `*` as all columns. The keys of an event are plain names.
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
     * Other databases reject a column that is named twice. SQLite treats `id` and `ID` as one column and stores one of
     * the two values.
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
