<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Headroom\Bench\Interrupted;
use Illuminate\Database\Connection;
use Throwable;

/**
 * Features that make writes to one table more expensive than to another, as text without the table's name.
 *
 * @internal
 */
final readonly class TableCosts
{
    private const MOST_JOBS = 10_000;

    /** Each query has one text column; `?` is the table with its prefix, `coalesce(?, database())` its schema. */
    private const QUERIES = [
        'mysql' => [
            "select concat('trigger ', trigger_name) from information_schema.triggers"
                .' where event_object_schema = coalesce(?, database()) and event_object_table = ?',
            "select concat('partition ', partition_name) from information_schema.partitions"
                .' where table_schema = coalesce(?, database()) and table_name = ? and partition_name is not null',
            "select concat('foreign key of ', table_name) from information_schema.key_column_usage"
                .' where referenced_table_schema = coalesce(?, database()) and referenced_table_name = ?',
            "select concat('engine ', engine) from information_schema.tables"
                .' where table_schema = coalesce(?, database()) and table_name = ?',
        ],
        'pgsql' => [
            "select 'trigger ' || tgname from pg_trigger where tgrelid = ?::regclass and not tgisinternal",
            "select 'foreign key of ' || conrelid::regclass from pg_constraint"
                ." where contype = 'f' and confrelid = ?::regclass",
            "select 'rule ' || rulename from pg_rewrite where ev_class = ?::regclass",
            "select 'storage parameter ' || unnest(reloptions) from pg_class where oid = ?::regclass",
            "select 'policy ' || polname from pg_policy where polrelid = ?::regclass",
            "select 'partition ' || inhrelid::regclass from pg_inherits where inhparent = ?::regclass",
            "select 'parent ' || inhparent::regclass from pg_inherits where inhrelid = ?::regclass",
            "select 'publication ' || pubname from pg_publication_tables"
                ." where format('%I.%I', schemaname, tablename)::regclass = ?::regclass",
            "select 'tablespace ' || spcname from pg_class join pg_tablespace s on s.oid = reltablespace"
                .' where pg_class.oid = ?::regclass',
        ],
        'sqlite' => ["select 'trigger ' || name from sqlite_master where type = 'trigger' and tbl_name = ?"],
        'sqlsrv' => ["select 'trigger ' + name from sys.triggers where parent_id = object_id(?)"],
    ];

    /** The server shows no trigger, and no error, to an account without this privilege. */
    private const TRIGGER = "select 1 from information_schema.user_privileges where privilege_type = 'TRIGGER'"
        ." union all select 1 from information_schema.schema_privileges where privilege_type = 'TRIGGER'"
        .' and coalesce(?, database()) like table_schema'
        ." union all select 1 from information_schema.table_privileges where privilege_type = 'TRIGGER'"
        .' and table_schema = coalesce(?, database()) and table_name = ?';

    public function __construct(private Connection $connection) {}

    /** @return list<string> notes on features of the first that the second lacks */
    public function lacking(string $original, string $copy): array
    {
        try {
            $traits = array_unique(array_diff($this->of($original), $this->of($copy)));
            $isLong = $this->jobs($original) > self::MOST_JOBS;
            $isBlind = ! $this->seesTriggers($original);
        } catch (Throwable $e) {
            return Interrupted::within($e) === null
                ? ["the server does not report what else `{$original}` has"]
                : throw Interrupted::within($e);
        }

        return [
            ...($traits === [] ? [] : [
                "`{$original}` has features that the table under test lacks: ".implode('; ', $traits),
            ]),
            ...($isLong ? [
                "`{$original}` holds more than ".number_format(self::MOST_JOBS)
                    .' jobs, which `--scenario deep` measures',
            ] : []),
            ...($isBlind ? [
                "whether `{$original}` has triggers is unknown: this account lacks the privilege TRIGGER",
            ] : []),
        ];
    }

    private function seesTriggers(string $table): bool
    {
        [$schema, $name] = $this->named($table);

        return ! in_array($this->connection->getDriverName(), ['mysql', 'mariadb'], true)
            || $this->connection->select(self::TRIGGER, [$schema, $schema, $name], false) !== [];
    }

    /** @return array{?string, string} schema, if given, and the table with its prefix */
    private function named(string $table): array
    {
        $parts = explode('.', $table, 2);
        $name = $this->connection->getTablePrefix().($parts[1] ?? $parts[0]);

        return [isset($parts[1]) ? $parts[0] : null, $name];
    }

    private function jobs(string $table): int
    {
        $first = $this->connection->table($table)->useWritePdo()->selectRaw('1 as one')->limit(self::MOST_JOBS + 1);

        return $this->connection->query()->useWritePdo()->fromSub($first, 'jobs')->count();
    }

    /** @return list<string> */
    private function of(string $table): array
    {
        $schema = $this->connection->getSchemaBuilder();
        $traits = [];

        foreach ($schema->getColumns($table) as $column) {
            $traits[] = "column {$column['name']}";
        }

        foreach ($schema->getIndexes($table) as $index) {
            $kind = $index['unique'] ? 'unique index' : 'index';
            $traits[] = "{$kind} (".implode(', ', $index['columns']).')';
        }

        /**
         * @var array{ name: ?string, columns: list<string>, foreign_schema: ?string, foreign_table: string,
         *     foreign_columns: list<string>, on_update: ?string, on_delete: ?string, } $key as Laravel 13 reports it
         */
        foreach ($schema->getForeignKeys($table) as $key) {
            $traits[] = 'foreign key ('.implode(', ', $key['columns']).") to {$key['foreign_table']}";
        }

        return [...$traits, ...$this->asked($table)];
    }

    /** @return list<string> */
    private function asked(string $table): array
    {
        $driver = $this->connection->getDriverName();
        $isMySql = in_array($driver, ['mysql', 'mariadb'], true);
        $name = $driver === 'pgsql'
            ? $this->connection->getQueryGrammar()->wrapTable($table)
            : $this->connection->getTablePrefix().$table;
        $words = [];

        foreach (self::QUERIES[$isMySql ? 'mysql' : $driver] ?? [] as $query) {
            $bindings = $isMySql ? $this->named($table) : array_fill(0, substr_count($query, '?'), $name);

            foreach ($this->connection->select($query, $bindings, false) as $row) {
                $word = array_values((array) $row)[0] ?? null;
                array_push($words, ...(is_string($word) ? [$word] : []));
            }
        }

        return $words;
    }
}
