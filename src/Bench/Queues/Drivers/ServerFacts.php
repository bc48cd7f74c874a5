<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Headroom\Bench\Interrupted;
use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\Durability;
use Illuminate\Database\Connection;
use Throwable;

/**
 * The server's own report: its version, and its durability in a power failure.
 *
 * @internal
 */
final readonly class ServerFacts
{
    private const BEANSTALKD_SECONDS = 2;

    /** @param ?string $table under test: it may be less durable than its server */
    public static function ofDatabase(Connection $connection, ?string $table): DriverFacts
    {
        return match ($connection->getDriverName()) {
            'mysql', 'mariadb' => self::ofMySql($connection, $table),
            'pgsql' => self::ofPostgres($connection, $table),
            'sqlite' => self::ofSqlite($connection),
            default => DriverFacts::unknown($connection->getDriverName()),
        };
    }

    public static function ofRedis(RedisNode $node): DriverFacts
    {
        $software = 'Redis';
        $settings = array_fill_keys(['appendonly', 'appendfsync', 'save'], '');

        try {
            $info = $node->info('server');
            // Valkey also reports the version of Redis that it is compatible with.
            $software = trim(
                isset($info['valkey_version'])
                    ? "Valkey {$info['valkey_version']}"
                    : 'Redis '.($info['redis_version'] ?? ''),
            );
            $settings = array_combine(array_keys($settings), array_map($node->setting(...), array_keys($settings)));
        } catch (Throwable $e) {
            self::orInterrupted($e);
        }

        // Redis reports an empty value if it makes no snapshots.
        $shown = [...$settings, 'save' => $settings['save'] === '' ? '(none)' : $settings['save']];

        return match (true) {
            // Providers of hosted servers forbid CONFIG.
            $settings['appendonly'] === '', $settings['appendfsync'] === '' => self::silent($software),
            $settings['appendonly'] !== 'yes' => new DriverFacts($software, Durability::None, $shown),
            default => new DriverFacts(
                $software,
                $settings['appendfsync'] === 'always' ? Durability::EachJob : Durability::Seconds,
                $shown,
            ),
        };
    }

    /** Sent by name, because clients decode the answer differently. */
    public static function ofBeanstalkd(string $host, int $port): DriverFacts
    {
        $socket = @stream_socket_client("tcp://{$host}:{$port}", $code, $message, self::BEANSTALKD_SECONDS);

        if ($socket === false) {
            return self::silent('beanstalkd');
        }

        stream_set_timeout($socket, self::BEANSTALKD_SECONDS);
        fwrite($socket, "stats\r\n");
        $length = (int) preg_replace('/\D+/', '', (string) fgets($socket));
        $stats = $length > 0 ? (string) stream_get_contents($socket, $length) : '';
        fclose($socket);
        $settings = [];

        foreach (['version', 'binlog-current-index', 'max-job-size', 'current-connections'] as $name) {
            $settings[$name] = preg_match("/^{$name}: \"?([^\"\n]*)/m", $stats, $m) === 1 ? $m[1] : '';
        }

        if ($settings['binlog-current-index'] === '') {
            return self::silent(trim("beanstalkd {$settings['version']}"));
        }

        $hasLog = (int) $settings['binlog-current-index'] > 0;
        $version = $settings['version'];
        $others = (int) $settings['current-connections'] - 1;
        $verb = $others === 1 ? 'connection was' : 'connections were';
        $notes = $others < 1 ? [] : ["before the runs {$others} other {$verb} open"];
        unset($settings['version'], $settings['current-connections']);
        $durability = $hasLog ? Durability::Seconds : Durability::None;

        $settings = ['-b' => $hasLog ? 'yes' : 'no', ...$settings];

        return new DriverFacts("beanstalkd {$version}", $durability, $settings, $notes);
    }

    private static function ofMySql(Connection $connection, ?string $table): DriverFacts
    {
        $settings = [];

        foreach (['innodb_flush_log_at_trx_commit', 'sync_binlog', 'log_bin'] as $name) {
            $settings[$name] = self::asked($connection, "select @@global.{$name} as value");
        }

        $version = self::asked($connection, 'select version()');
        $name = str_contains($version, 'MariaDB') ? 'MariaDB' : 'MySQL';

        $software = trim("{$name} ".strtok($version, '-'));

        if ($settings['innodb_flush_log_at_trx_commit'] === '') {
            return self::silent($software);
        }

        if ($table !== null) {
            $settings['engine'] = self::asked(
                $connection,
                'select engine as value from information_schema.tables where table_schema = database()'
                    .' and table_name = ?',
                [$connection->getTablePrefix().$table],
            );
        }

        // The server rolls back a commit that its binary log lost when it starts again.
        $isWhole = $settings['innodb_flush_log_at_trx_commit'] === '1'
            && ($settings['log_bin'] !== '1' || $settings['sync_binlog'] === '1');

        return new DriverFacts($software, match (strtolower($settings['engine'] ?? 'innodb')) {
            'innodb' => $isWhole ? Durability::EachJob : Durability::Seconds,
            'myisam', 'aria' => Durability::Seconds,
            'memory', 'blackhole' => Durability::None,
            default => Durability::Unknown,
        }, $settings);
    }

    private static function ofPostgres(Connection $connection, ?string $table): DriverFacts
    {
        $settings = [];

        foreach (['fsync', 'synchronous_commit', 'server_version'] as $name) {
            $settings[$name] = self::asked($connection, "show {$name}");
        }

        $version = strtok($settings['server_version'], ' ');
        unset($settings['server_version']);

        if ($settings['fsync'] === '' || $settings['synchronous_commit'] === '') {
            return self::silent(trim("PostgreSQL {$version}"));
        }

        $isUnlogged = $table !== null && self::asked(
            $connection,
            'select relpersistence as value from pg_class where oid = ?::regclass',
            [$connection->getQueryGrammar()->wrapTable($table)],
        ) === 'u';
        $settings += $isUnlogged ? ['table' => 'unlogged'] : [];

        return new DriverFacts("PostgreSQL {$version}", match (true) {
            // An unlogged table is empty after a crash.
            $isUnlogged, $settings['fsync'] !== 'on' => Durability::None,
            $settings['synchronous_commit'] === 'off' => Durability::Seconds,
            default => Durability::EachJob,
        }, $settings);
    }

    private static function ofSqlite(Connection $connection): DriverFacts
    {
        $settings = [];

        foreach (['journal_mode', 'synchronous', 'busy_timeout'] as $name) {
            $settings[$name] = self::asked($connection, "pragma {$name}");
        }

        $version = self::asked($connection, 'select sqlite_version()');
        $mode = $connection->getConfig('transaction_mode');
        // Before PHP 8.4, Laravel reads the setting and does not use it.
        $settings['transaction_mode'] = is_string($mode) && PHP_VERSION_ID >= 80_400 ? $mode : 'DEFERRED';

        return $settings['synchronous'] === ''
            ? self::silent(trim("SQLite {$version}"))
            : new DriverFacts("SQLite {$version}", match (true) {
                $settings['synchronous'] === '0',
                $settings['journal_mode'] === 'memory',
                $settings['journal_mode'] === 'off' => Durability::None,
                $settings['synchronous'] === '1' && $settings['journal_mode'] === 'wal' => Durability::Seconds,
                default => Durability::EachJob,
            }, $settings);
    }

    private static function silent(string $software): DriverFacts
    {
        return new DriverFacts($software, Durability::Unknown, [], ['it does not report its durability']);
    }

    /**
     * @param list<string> $bindings
     * @return string '' if the server does not report it, as a compatible server may not
     */
    private static function asked(Connection $connection, string $query, array $bindings = []): string
    {
        try {
            // Not from a replica: the jobs are on the server that takes writes.
            $row = (array) $connection->selectOne($query, $bindings, false);
        } catch (Throwable $e) {
            return self::orInterrupted($e);
        }

        $value = reset($row);

        return is_scalar($value) ? (string) $value : '';
    }

    private static function orInterrupted(Throwable $e): string
    {
        $interrupted = Interrupted::within($e);

        return $interrupted === null ? '' : throw $interrupted;
    }
}
