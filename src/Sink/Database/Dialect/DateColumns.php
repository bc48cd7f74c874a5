<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Dialect;

use DateTimeImmutable;
use Headroom\Core\Date;
use Headroom\Core\Dates;
use Illuminate\Database\Connection;

use function mb_strtolower;
use function substr;

/**
 * Formats dates as the columns of a table store them: as Laravel does, in whole seconds, unless the column is declared
 * with fractional digits. Further digits are cut off here, because some databases would round up to the next second, or
 * day.
 *
 * The columns are queried once per connection, because tables seldom change. After a change, the database cuts off or
 * rounds the digits.
 *
 * @internal
 */
final class DateColumns
{
    private const MYSQL = <<<'SQL'
        select column_name as name, datetime_precision as digits from information_schema.columns
        where table_schema = coalesce(?, database()) and table_name = ? and data_type in ('datetime', 'timestamp')
        SQL;

    /** A column without a declared precision has 6 digits. */
    private const PGSQL = <<<'SQL'
        select a.attname as name,
            coalesce(nullif(case when t.typtype = 'd' then t.typtypmod else a.atttypmod end, -1), 6) as digits
        from pg_attribute a join pg_type t on t.oid = a.atttypid
        where a.attrelid = to_regclass(?) and a.attnum > 0
            and coalesce(nullif(t.typbasetype, 0), t.oid) in ('timestamp'::regtype, 'timestamptz'::regtype)
        SQL;

    /** SQLite has no date type; the declared type is only a name. Laravel declares no precision. */
    private const SQLITE = "select name, substr(type, instr(type, '(') + 1, 1) as digits from pragma_table_info(?)"
        ." where lower(type) like 'datetime%(%)' or lower(type) like 'timestamp%(%)'";

    private const MAX_DIGITS = 6;

    private readonly string $format;

    /** @var ?array<string, int<1, 6>> by column in lower case */
    private ?array $digits = null;

    public function __construct(public readonly Connection $connection, private readonly string $table)
    {
        $this->format = $connection->getQueryGrammar()->getDateFormat();
    }

    public function text(string $column, Date|DateTimeImmutable $date): string
    {
        if ($this->format !== Date::SQL) {
            return $date->format($this->format);
        }

        $digits = $this->digits($column);

        return $date instanceof Date
            ? $date->sql($digits)
            : substr($date->format('Y-m-d H:i:s.u'), 0, $digits === 0 ? 19 : 20 + $digits);
    }

    /** @return list<string> */
    public function texts(string $column, Dates $dates): array
    {
        return $this->format === Date::SQL ? $dates->sql($this->digits($column)) : $dates->format($this->format);
    }

    /** @return int<0, 6> */
    private function digits(string $column): int
    {
        return ($this->digits ??= $this->read())[mb_strtolower($column)] ?? 0;
    }

    /** @return array<string, int<1, 6>> */
    private function read(): array
    {
        [$schema, $table] = str_contains($this->table, '.') ? explode('.', $this->table, 2) : [null, $this->table];
        $table = $this->connection->getTablePrefix().$table;
        [$sql, $values] = match ($this->connection->getDriverName()) {
            'mysql', 'mariadb' => [self::MYSQL, [$schema, $table]],
            'pgsql' => [self::PGSQL, [$this->connection->getQueryGrammar()->wrapTable($this->table)]],
            default => [self::SQLITE, [$table]],
        };
        $digits = [];

        foreach ($this->connection->select($sql, $values, false) as $row) {
            /** @var object{name: string, digits: int|string} $row */
            $number = min(self::MAX_DIGITS, (int) $row->digits);

            if ($number > 0) {
                $digits[mb_strtolower($row->name)] = $number;
            }
        }

        return $digits;
    }
}
