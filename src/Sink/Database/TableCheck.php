<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Finding;
use Headroom\Sink\Database\Dialect\DatabaseError;
use Headroom\Sink\Database\Upsert\ConflictResolution;
use Headroom\Sink\Database\Upsert\UniqueIndexes;
use Illuminate\Database\Connection;
use Illuminate\Database\ConnectionResolverInterface;
use Throwable;

/**
 * Finds what prevents exactly-once delivery into a table.
 *
 * @internal
 */
final readonly class TableCheck
{
    private const DRIVERS = ['sqlite', 'mysql', 'mariadb', 'pgsql'];

    private const WITH_ENGINES = ['mysql', 'mariadb'];

    public function __construct(
        private ConnectionResolverInterface $connections,
        private ?string $connectionName,
        private string $table,
        private ?ConflictResolution $conflict = null,
    ) {}

    /** @return list<Finding> */
    public function problems(): array
    {
        $name = $this->connectionName ?? $this->connections->getDefaultConnection();
        $subject = "connection {$name}";

        try {
            $connection = $this->connections->connection($this->connectionName);

            if (! $connection instanceof Connection || ! in_array($connection->getDriverName(), self::DRIVERS, true)) {
                return [new Finding(
                    $subject,
                    'The driver is not one of '.implode(', ', self::DRIVERS).'.',
                    "Give the bucket another 'connection'.",
                )];
            }

            return $this->tableProblems($connection, $subject);
        } catch (Throwable $e) {
            return [new Finding(
                $subject,
                'The connection does not answer: '.DatabaseError::reason($e).'.',
                "Check the connection '{$name}' in config/database.php. Until it answers, events wait in the buffer.",
            )];
        }
    }

    /** @throws RefusedByDatabase */
    public function assertSuitable(Connection $connection): void
    {
        foreach ($this->withoutTransactions($connection) as $table => $engine) {
            throw RefusedByDatabase::notTransactional($table, $engine, $this->conversion($table));
        }

        // Without the index MySQL would insert duplicates and report no error.
        if (
            $this->conflict !== null
            && $this->hasTable($connection)
            && ! UniqueIndexes::ofTable($connection, $this->table)->have($this->conflict->unique)
        ) {
            throw RefusedByDatabase::noUniqueIndex(
                $this->table,
                $this->names($this->conflict->unique),
                $this->migration($this->conflict->unique),
            );
        }
    }

    /** @return list<Finding> */
    private function tableProblems(Connection $connection, string $subject): array
    {
        $problems = [];

        if (! $connection->getSchemaBuilder()->hasTable(Ledger::TABLE)) {
            $problems[] = new Finding(
                $subject,
                'The table '.Ledger::TABLE.' is missing.',
                'Run `spool:install`, then `migrate`.',
            );
        } elseif (! $connection->getSchemaBuilder()->hasColumn(Ledger::TABLE, 'checksum')) {
            $problems[] = new Finding(
                $subject,
                'The table '.Ledger::TABLE.' has no column checksum: an earlier version made it.',
                'Run `spool:install`, then `migrate`.',
            );
        }

        if ($this->hasTable($connection)) {
            $problems = [...$problems, ...$this->indexProblems($connection, $subject)];
        } else {
            $problems[] = new Finding(
                $subject,
                "The table {$this->table} is missing.",
                "Add a migration that creates {$this->table}, and run `migrate`.",
            );
        }

        foreach ($this->withoutTransactions($connection) as $table => $engine) {
            $problems[] = new Finding(
                $subject,
                "Table {$table} uses the engine {$engine}, which has no transactions.",
                "Run `{$this->conversion($table)}`.",
            );
        }

        foreach ($this->unlogged($connection) as $table) {
            $problems[] = new Finding(
                $subject,
                "Table {$table} is UNLOGGED: PostgreSQL empties it after each crash, and delivered events are lost.",
                "Run `ALTER TABLE {$table} SET LOGGED`.",
            );
        }

        return $problems;
    }

    /** @return list<Finding> */
    private function indexProblems(Connection $connection, string $subject): array
    {
        if ($this->conflict === null) {
            return [];
        }

        $indexes = UniqueIndexes::ofTable($connection, $this->table);
        $unique = $this->conflict->unique;

        if (! $indexes->have($unique)) {
            return [new Finding(
                $subject,
                "Table {$this->table} has no unique index over exactly {$this->names($unique)}, which mode"
                    ." {$this->conflict->mode()} needs.",
                "Add a migration with `{$this->migration($unique)}`, and run `migrate`.",
            )];
        }

        return in_array($connection->getDriverName(), self::WITH_ENGINES, true) ? array_map(
            fn (array $other): Finding => new Finding(
                $subject,
                "Table {$this->table} has another unique index, over {$this->names($other)}."
                    .' This database merges an event into a row that matches in any unique index.',
                'Make sure that no event can match another row through that index.',
                false,
            ),
            $indexes->others($unique),
        ) : [];
    }

    /** @param non-empty-list<string> $columns */
    private function names(array $columns): string
    {
        return implode(', ', $columns);
    }

    /** @param non-empty-list<string> $columns */
    private function migration(array $columns): string
    {
        return "Schema::table('{$this->table}', fn (Blueprint \$table) => \$table->unique(['".implode("', '", $columns)
            ."']))";
    }

    private function hasTable(Connection $connection): bool
    {
        [$schema, $table] = $this->qualifiedTable($connection);

        // Laravel 11 does not understand names of the form database.table here.
        return $schema !== null && in_array($connection->getDriverName(), self::WITH_ENGINES, true)
            ? $connection->select(
                'select 1 from information_schema.tables where table_schema = ? and table_name = ?',
                [$schema, $table],
                false,
            ) !== []
            : $connection->getSchemaBuilder()->hasTable($this->table);
    }

    /** @return array{?string, string} schema and table with its prefix */
    private function qualifiedTable(Connection $connection): array
    {
        [$schema, $table] = str_contains($this->table, '.') ? explode('.', $this->table, 2) : [null, $this->table];

        return [$schema, $connection->getTablePrefix().$table];
    }

    private function conversion(string $table): string
    {
        return "ALTER TABLE {$table} ENGINE=InnoDB";
    }

    /** @return list<string> tables of PostgreSQL */
    private function unlogged(Connection $connection): array
    {
        if ($connection->getDriverName() !== 'pgsql') {
            return [];
        }

        [$schema, $table] = $this->qualifiedTable($connection);
        $quoted = implode(
            '.',
            array_map(
                static fn (string $name): string => '"'.str_replace('"', '""', $name).'"',
                array_filter([$schema, $table], is_string(...)),
            ),
        );

        /** @var list<object{name: string}> $rows */
        $rows = $connection->select(
            'select c.oid::regclass::text as name from pg_class c where c.oid in (to_regclass(?), to_regclass(?)) and'
                ." c.relpersistence = 'u'",
            [$quoted, '"'.$connection->getTablePrefix().Ledger::TABLE.'"'],
            false,
        );

        return array_column($rows, 'name');
    }

    /** @return array<string, string> engine by table; only MySQL and MariaDB have such engines */
    private function withoutTransactions(Connection $connection): array
    {
        if (! in_array($connection->getDriverName(), self::WITH_ENGINES, true)) {
            return [];
        }

        [$schema, $table] = $this->qualifiedTable($connection);

        /** @var list<object{name: string, engine: string}> $rows */
        $rows = $connection->select(
            "select if(t.table_schema = database(), t.table_name, concat(t.table_schema, '.', t.table_name)) as name,"
                .' t.engine as engine from information_schema.tables t join information_schema.engines e on'
                .' e.engine = t.engine'
            .' where (t.table_schema = coalesce(?, database()) and t.table_name = ? or t.table_schema = database() and'
            .' t.table_name = ?)'
            ." and coalesce(e.transactions, 'NO') <> 'YES'",
            [$schema, $table, $connection->getTablePrefix().Ledger::TABLE],
            false,
        );

        return array_column($rows, 'engine', 'name');
    }
}
