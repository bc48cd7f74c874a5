<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Doctor\FactUnavailable;
use Headroom\Support\TerminalText;
use PDO;
use PDOException;

/**
 * Observes the SQL server for a second: its counters, its lock waits, and the time of a query. It reads no table of the
 * application and changes nothing.
 *
 * @internal
 */
final readonly class DatabaseObserver
{
    private const SAMPLES = 10;

    /** InnoDB shows locks as they were up to a tenth of a second ago. */
    private const MICROS = 110_000;

    private const ROUND_TRIPS = 15;

    private const CONNECTIONS = 2;

    private const MAX_TRIP_NANOS = 2_000_000_000;

    private const COUNTERS = ['connections', 'questions', 'innodb_row_lock_waits'];

    /** The number of transactions that wait for rows, by table, in one sample. */
    private const WAITS = [
        'MariaDB' => 'select l.lock_table, count(distinct w.requesting_trx_id) from'
            .' information_schema.innodb_lock_waits w join information_schema.innodb_locks l on l.lock_id ='
            .' w.requested_lock_id group by l.lock_table',
        'MySQL' => "select concat(l.object_schema, '.', l.object_name), count(distinct"
            .' w.requesting_engine_transaction_id) from performance_schema.data_lock_waits w join'
            .' performance_schema.data_locks l on l.engine_lock_id = w.requesting_engine_lock_id group by'
            .' l.object_schema, l.object_name',
        // A transaction that waits for a row waits for the transaction that changed it. The row's table is one of those
        // that it writes to itself.
        'PostgreSQL' => "select tables, count(*) from (select w.pid, string_agg(distinct n.nspname || '.' || c.relname,"
            ." ' or ' order by n.nspname || '.' || c.relname) as tables from (select distinct pid from pg_locks where"
            ." not granted and locktype in ('transactionid', 'tuple')) w join pg_locks l on l.pid = w.pid and"
            ." l.locktype = 'relation' and l.mode in ('RowExclusiveLock', 'RowShareLock') join pg_class c on c.oid ="
            ." l.relation and c.relkind in ('r', 'p') join pg_namespace n on n.oid = c.relnamespace group by w.pid)"
            .' waiting group by tables',
    ];

    /**
     * @param Closure(): PDO $connect opens another connection, with the settings of the application
     * @param Closure(): ?int $requests that PHP-FPM has accepted since it started
     */
    public function __construct(
        private PDO $pdo,
        private Engine $engine,
        private Closure $connect,
        private Closure $requests,
        private Clock $clock = new SystemClock,
    ) {}

    /** @throws FactUnavailable */
    public function facts(): DatabaseWindow
    {
        try {
            // Connections stay open to the end, because the server counts each close as a question at an unpredictable
            // time.
            $kept = [];
            $connect = $this->shortest(self::CONNECTIONS, function () use (&$kept): void {
                $kept[] = ($this->connect)();
            });
            $trip = $this->shortest(self::ROUND_TRIPS, fn (): array => $this->rows('select 1'));

            return $this->measured($trip, $connect);
        } catch (PDOException $e) {
            throw FactUnavailable::because(
                'The SQL server cannot be observed: '.TerminalText::name($e->getMessage()),
                'artisan db:show',
            );
        }
    }

    private function measured(float $trip, float $connect): DatabaseWindow
    {
        $requests = ($this->requests)();
        $before = $this->counters();
        $at = $this->clock->monotonicNanos();
        $waits = [];
        $unseen = null;
        // The queries that follow, including the last read of the counters.
        $asked = 1;

        for ($look = 0; $look < self::SAMPLES; $look++) {
            $this->clock->sleep(self::MICROS);

            if ($unseen !== null) {
                continue;
            }

            $asked++;

            try {
                foreach ($this->pairs(self::WAITS[$this->engine->value]) as $table => $waiting) {
                    $name = strtr($table, ['`' => '', '"' => '']);
                    $waits[$name] = ($waits[$name] ?? new RowLockWait(0, 0))->seen((int) $waiting);
                }
            } catch (PDOException $e) {
                $unseen = FactUnavailable::because(
                    'The user of the application may not see lock waits: '
                        .TerminalText::name($e->getMessage()),
                    $this->engine === Engine::Postgres
                        ? 'psql -c "select * from pg_locks where not granted"'
                        : "mysql -u root -e 'show engine innodb status'",
                );
            }
        }

        $seconds = ($this->clock->monotonicNanos() - $at) / 1e9;
        $rises = [];

        foreach ($this->counters() as $name => $value) {
            $rises[$name] = max(0.0, $value - ($before[$name] ?? $value) - ($name === 'questions' ? $asked : 0));
        }

        $then = ($this->requests)();

        return new DatabaseWindow(
            $seconds,
            $trip,
            $connect,
            $rises,
            $requests === null || $then === null ? null : max(0, $then - $requests),
            self::SAMPLES,
            $waits,
            $unseen,
        );
    }

    /**
     * @return array<string, float> of the whole server; PostgreSQL counts neither queries nor, before version 14,
     *     who connects
     */
    private function counters(): array
    {
        if ($this->engine !== Engine::Postgres) {
            return array_change_key_case(
                $this->pairs('show global status where variable_name in (\''.implode("', '", self::COUNTERS).'\')'),
            );
        }

        return $this->pairs(
            "select 'commits', sum(xact_commit) from pg_stat_database union all select 'connections',"
                ." sum((to_jsonb(d)->>'sessions')::bigint) from pg_stat_database d",
        );
    }

    /** @return array<string, float> */
    private function pairs(string $sql): array
    {
        $pairs = [];

        foreach ($this->rows($sql) as $row) {
            if (is_array($row) && is_string($row[0] ?? null) && is_numeric($row[1] ?? null)) {
                $pairs[$row[0]] = (float) $row[1];
            }
        }

        return $pairs;
    }

    /** @return array<mixed> */
    private function rows(string $sql): array
    {
        $statement = $this->pdo->query($sql);

        return $statement === false ? [] : $statement->fetchAll(PDO::FETCH_NUM);
    }

    /**
     * Time above the shortest round trip comes from a busy machine, not from distance.
     *
     * @param Closure(): mixed $do
     */
    private function shortest(int $times, Closure $do): float
    {
        $began = $this->clock->monotonicNanos();
        $shortest = PHP_INT_MAX;

        // One query is enough for a server that takes seconds.
        for ($time = 0; $time < $times
            && ($time === 0 || $this->clock->monotonicNanos() - $began < self::MAX_TRIP_NANOS); $time++) {
            $at = $this->clock->monotonicNanos();

            try {
                $do();
            } catch (PDOException|FactUnavailable $e) {
                // A server without a free connection is observed on the open ones.
                if ($time === 0) {
                    throw $e;
                }

                break;
            }

            $shortest = min($shortest, $this->clock->monotonicNanos() - $at);
        }

        return $shortest / 1e9;
    }
}
