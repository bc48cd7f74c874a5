<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Upsert;

use Illuminate\Database\Connection;

/**
 * The unique indexes of a table that cover all of its rows and whole columns.
 *
 * @internal
 */
final readonly class UniqueIndexes
{
    private const SQLITE = <<<'SQL'
        select 'rowid' as name, name as "column", 0 as auto from pragma_table_info(?) where pk > 0
        union all
        select l.name, i.name, 0 from pragma_index_list(?) l, pragma_index_info(l.name) i
        where l."unique" = 1 and l.partial = 0
        SQL;

    private const MYSQL = <<<'SQL'
        select s.index_name as name, if(s.sub_part is null, s.column_name, null) as `column`,
            c.extra like '%auto_increment%' as auto
        from information_schema.statistics s left join information_schema.columns c
            on c.table_schema = s.table_schema and c.table_name = s.table_name and c.column_name = s.column_name
        where s.table_schema = coalesce(?, database()) and s.table_name = ? and s.non_unique = 0
        SQL;

    /** A deferrable constraint cannot detect an existing row in an insert. Included columns are not part of the key. */
    private const PGSQL = <<<'SQL'
        select i.indexrelid::text as name, a.attname as column, false as auto
        from pg_index i cross join generate_series(0, i.indnkeyatts - 1) as k(n)
            left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[k.n] and i.indkey[k.n] > 0
        where i.indrelid = to_regclass(?) and i.indisunique and i.indisvalid and i.indimmediate and i.indpred is null
        SQL;

    /** @param list<array{columns: non-empty-list<string>, auto: bool}> $indexes */
    private function __construct(private array $indexes) {}

    /** @param string $table name in the bucket's settings */
    public static function ofTable(Connection $connection, string $table): self
    {
        [$schema, $name] = str_contains($table, '.') ? explode('.', $table, 2) : [null, $table];

        return self::of($connection, $schema, $connection->getTablePrefix().$name);
    }

    /** @param string $table with the connection's prefix */
    private static function of(Connection $connection, ?string $schema, string $table): self
    {
        [$sql, $values] = match ($connection->getDriverName()) {
            'sqlite' => [self::SQLITE, [$table, $table]],
            'pgsql' => [
                self::PGSQL,
                [implode(
                    '.',
                    array_map(
                        static fn (string $name): string => '"'.str_replace('"', '""', $name).'"',
                        array_filter([$schema, $table], is_string(...)),
                    ),
                )],
            ],
            default => [self::MYSQL, [$schema, $table]],
        };
        [$columns, $indexes] = [[], []];

        foreach ($connection->select($sql, $values, false) as $row) {
            /** @var object{name: string, column: ?string, auto: mixed} $row */
            $columns[$row->name][] = $row->column;
            $indexes[$row->name] = (bool) $row->auto;
        }

        foreach ($columns as $name => $names) {
            // An expression, or a prefix of a column, has no column name.
            $known = array_values(array_filter($names, is_string(...)));
            $indexes[$name] = count($known) === count($names)
                ? ['columns' => $known, 'auto' => $indexes[$name] === true]
                : null;
        }

        return new self(array_values(array_filter($indexes, is_array(...))));
    }

    /** @param non-empty-list<string> $columns in any order */
    public function have(array $columns): bool
    {
        return array_filter($this->indexes, static fn (array $index): bool => self::same($index['columns'], $columns))
            !== [];
    }

    /**
     * @param list<string> $columns
     * @return list<non-empty-list<string>> columns of each index over other columns, except an index over one
     *     auto-increment column
     */
    public function others(array $columns): array
    {
        return array_column(
            array_filter(
                $this->indexes,
                static fn (array $index): bool => ! self::same($index['columns'], $columns)
                    && ! ($index['auto'] && count($index['columns']) === 1),
            ),
            'columns',
        );
    }

    /**
     * @param list<string> $a
     * @param list<string> $b
     */
    private static function same(array $a, array $b): bool
    {
        // Column names ignore case, except quoted names in PostgreSQL, which in practice do not differ by case alone.
        [$a, $b] = [array_map(mb_strtolower(...), $a), array_map(mb_strtolower(...), $b)];
        sort($a);
        sort($b);

        return $a === $b;
    }
}
