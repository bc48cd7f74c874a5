<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Dialect;

use Illuminate\Database\Connection;

/**
 * The columns of a table that hold bytes and not text. PostgreSQL reads a text that is sent to such a column as an
 * escape syntax: https://www.postgresql.org/docs/current/datatype-binary.html. The query runs only if a batch has bytes
 * in it.
 *
 * @internal
 */
final class ByteColumns
{
    /** @var array<string, true>|null */
    private ?array $names = null;

    public function __construct(private readonly Connection $connection, private readonly string $table) {}

    public function has(string $column): bool
    {
        return isset(($this->names ??= $this->read())[$column]);
    }

    /** @return array<string, true> */
    private function read(): array
    {
        if ($this->connection->getDriverName() !== 'pgsql') {
            return $this->ofSchema();
        }

        $columns = $this->connection->select(
            'select a.attname as name from pg_attribute a join pg_type t on t.oid = a.atttypid'
            .' where a.attrelid = to_regclass(?) and a.attnum > 0 and coalesce(nullif(t.typbasetype, 0), t.oid) ='
            ." 'bytea'::regtype",
            [$this->connection->getQueryGrammar()->wrapTable($this->table)],
            false,
        );

        /** @var list<object{name: string}> $columns */
        return array_fill_keys(array_column($columns, 'name'), true);
    }

    /** @return array<string, true> */
    private function ofSchema(): array
    {
        $names = [];

        foreach ($this->connection->getSchemaBuilder()->getColumns($this->table) as $column) {
            if (preg_match('/blob|binary/i', $column['type_name']) === 1) {
                $names[$column['name']] = true;
            }
        }

        return $names;
    }
}
