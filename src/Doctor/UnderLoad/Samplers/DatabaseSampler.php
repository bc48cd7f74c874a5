<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\FactUnavailable;
use Headroom\Support\TerminalText;
use PDO;
use PDOException;

/**
 * @internal
 *
 * @implements Sampler<DatabaseSnapshot>
 */
final class DatabaseSampler implements Sampler
{
    private const MYSQL = "show global status where variable_name in ('Connections', 'Questions', 'Threads_connected',"
        ." 'Innodb_row_lock_current_waits')";

    /** Threads_running includes connections that are still logging in. */
    private const RUNNING = "select 'threads_running', count(*) from information_schema.processlist where command in"
        ." ('Query', 'Execute') and id <> connection_id()";

    private const POSTGRES = <<<'SQL'
        select 'threads_running', count(*) from pg_stat_activity
        where backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid()
        union all
        select 'threads_connected', count(*) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()
        union all
        select 'innodb_row_lock_current_waits', count(*) from pg_stat_activity where wait_event_type = 'Lock'
        union all select 'questions', sum(xact_commit + xact_rollback) from pg_stat_database
        SQL;

    private const SESSIONS = "\nunion all select 'connections', sum(sessions) from pg_stat_database";

    /** @param string $address as a process connects to it: 10.0.0.5:3306, or the path of a socket */
    public function __construct(
        public readonly Engine $engine,
        public readonly string $address,
        private readonly PDO $pdo,
    ) {}

    public function subject(): string
    {
        return "{$this->engine->value} {$this->address}";
    }

    public function read(): DatabaseSnapshot
    {
        try {
            $counters = $this->engine === Engine::Postgres
                ? $this->counters(self::POSTGRES.($this->hasSessions() ? self::SESSIONS : ''))
                : $this->counters(self::MYSQL) + $this->counters(self::RUNNING);
        } catch (PDOException $e) {
            throw FactUnavailable::because(
                'The SQL server cannot be queried: '.TerminalText::name($e->getMessage()),
                'artisan db:show',
            );
        }

        return new DatabaseSnapshot(
            $counters['connections'] ?? null,
            $counters['questions'] ?? null,
            $counters['threads_running'] ?? 0,
            $counters['threads_connected'] ?? 0,
            $counters['innodb_row_lock_current_waits'] ?? 0,
        );
    }

    private function hasSessions(): bool
    {
        $version = $this->pdo->getAttribute(PDO::ATTR_SERVER_VERSION);

        return is_string($version) && version_compare($version, '14', '>=');
    }

    /** @return array<string, int> */
    private function counters(string $sql): array
    {
        $statement = $this->pdo->query($sql);
        $counters = [];

        while ($statement !== false && is_array($row = $statement->fetch(PDO::FETCH_NUM))) {
            $name = $row[0] ?? null;
            $value = $row[1] ?? null;

            if (is_scalar($name) && is_numeric($value)) {
                $counters[strtolower((string) $name)] = (int) $value;
            }
        }

        return $counters;
    }
}
