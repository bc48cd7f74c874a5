<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\NotApplicable;
use Headroom\Support\TerminalText;
use PDO;
use PDOException;

/**
 * Reads the settings and counters of the SQL server. It changes nothing and reads no table of the application.
 *
 * @internal
 */
final readonly class DatabaseProbe
{
    /** SHOW GLOBAL STATUS of MySQL lacks it, unlike that of MariaDB. */
    public const DEADLOCKS_OF_MYSQL = 'lock_deadlocks';

    /** Limits of the application's account: MySQL has the first, PostgreSQL the others. */
    public const LIMITS = ['max_user_connections', 'rolconnlimit', 'datconnlimit'];

    /** @param int $seconds a transaction that is younger is work in progress */
    public function __construct(private PDO $pdo, private int $seconds = 10) {}

    /**
     * @throws NotApplicable
     * @throws FactUnavailable
     */
    public function facts(): DatabaseServer
    {
        try {
            $driver = $this->pdo->getAttribute(PDO::ATTR_DRIVER_NAME);
            $driver = is_string($driver) ? $driver : '';
            $version = $driver === 'mysql' || $driver === 'pgsql'
                ? $this->pair(
                    $driver === 'mysql'
                        ? "select 'version', version()"
                        : "select 'version', current_setting('server_version')",
                )['version'] ?? ''
                : '';
            $engine = Engine::of($driver, $version)
                ?? throw NotApplicable::of("the database is {$driver}, which is not a server");

            return $engine === Engine::Postgres ? $this->postgres($version) : $this->mysql($engine, $version);
        } catch (PDOException $e) {
            throw FactUnavailable::because(
                'The SQL server cannot be queried: '.TerminalText::name($e->getMessage()),
                'artisan db:show',
            );
        }
    }

    private function mysql(Engine $engine, string $version): DatabaseServer
    {
        $status = $this->pair('show global status') + ($engine === Engine::Mysql ? $this->deadlocks() : []);

        // The value of the session is that of the account, if the account has one.
        $variables = $this->pair(
            "select 'max_user_connections', @@session.max_user_connections",
        ) + $this->pair('show global variables');

        return new DatabaseServer($engine, $version, $variables, $status, $this->transactions(
            'select trx_mysql_thread_id, timestampdiff(second, trx_started, now()), trx_state from '
                .'information_schema.innodb_trx where trx_started < now() - interval '
                .$this->seconds.' second order by trx_started limit 20',
        ));
    }

    private function postgres(string $version): DatabaseServer
    {
        $status = $this->pair(
            "select 'connections', count(*) from pg_stat_activity where backend_type = 'client backend'",
        )
            + $this->pair(
                "select state, count(*) from pg_stat_activity where backend_type = 'client backend' and state is not"
                    .' null group by state',
            );

        foreach (['deadlocks', 'blks_hit', 'blks_read', 'xact_commit', 'temp_files'] as $counter) {
            $status += $this->pair("select '{$counter}', sum({$counter}) from pg_stat_database");
        }

        $variables = $this->pair('select name, setting from pg_settings')
            + $this->pair("select 'rolconnlimit', rolconnlimit from pg_roles where rolname = current_user")
            + $this->pair("select 'datconnlimit', datconnlimit from pg_database where datname = current_database()");

        return new DatabaseServer(Engine::Postgres, $version, $variables, $status, $this->transactions(
            'select pid, extract(epoch from now() - xact_start), state from pg_stat_activity where backend_type ='
                ." 'client backend' and xact_start < now() - interval '"
                .$this->seconds." seconds' and pid <> pg_backend_pid() order by xact_start limit 20",
        ));
    }

    /** @return array<string, string> none: this user may not see them, without the privilege PROCESS */
    private function deadlocks(): array
    {
        $name = self::DEADLOCKS_OF_MYSQL;

        try {
            return $this->pair(
                "select name, count from information_schema.innodb_metrics where name = '{$name}' and status"
                    ." = 'enabled'",
            );
        } catch (PDOException) {
            return [];
        }
    }

    /** @return array<string, string> */
    private function pair(string $sql): array
    {
        $pairs = [];

        foreach ($this->rows($sql) as [$name, $value]) {
            $pairs[strtolower($name)] = $value;
        }

        return $pairs;
    }

    /** @return ?list<OpenTransaction> null: this user may not see them, as in MySQL without the privilege PROCESS */
    private function transactions(string $sql): ?array
    {
        try {
            return array_map(
                static fn (array $row): OpenTransaction => new OpenTransaction($row[0], (float) $row[1], $row[2]),
                $this->rows($sql),
            );
        } catch (PDOException) {
            return null;
        }
    }

    /** @return list<array{string, string, string}> */
    private function rows(string $sql): array
    {
        $statement = $this->pdo->query($sql);
        $rows = [];

        while ($statement !== false && is_array($row = $statement->fetch(PDO::FETCH_NUM))) {
            $cells = array_map(static fn (mixed $cell): string => is_scalar($cell) ? (string) $cell : '', $row);
            $rows[] = [$cells[0] ?? '', $cells[1] ?? '', $cells[2] ?? ''];
        }

        return $rows;
    }
}
