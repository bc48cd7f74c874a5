<?php

declare(strict_types=1);

namespace Headroom\Laravel\Queues;

use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\Durability;
use Illuminate\Database\Connection;
use Illuminate\Redis\Connections\Connection as RedisConnection;
use Throwable;

/**
 * What a server says of itself: which one it is, and what it keeps when the power goes.
 *
 * @internal
 */
final readonly class ServerFacts
{
    private const BEANSTALKD_SECONDS = 2;

    public static function ofDatabase(Connection $connection): DriverFacts
    {
        return match ($connection->getDriverName()) {
            'mysql', 'mariadb' => self::ofMySql($connection),
            'pgsql' => self::ofPostgres($connection),
            'sqlite' => self::ofSqlite($connection),
            default => DriverFacts::unknown($connection->getDriverName()),
        };
    }

    public static function ofRedis(RedisConnection $connection): DriverFacts
    {
        try {
            $version = self::find('redis_version', self::flat($connection->command('info', ['server'])));
            $settings = [];

            foreach (['appendonly', 'appendfsync', 'save'] as $name) {
                $settings[$name] = self::find($name, self::flat($connection->command('config', ['GET', $name])));
            }

            // Redis says nothing when it makes no snapshots.
            $settings['save'] = $settings['save'] === '' ? '(none)' : $settings['save'];
        } catch (Throwable) {
            // Those who rent one out forbid CONFIG.
            return new DriverFacts('Redis', Durability::Unknown, [], ['it does not tell how durable it is']);
        }

        return new DriverFacts("Redis {$version}", match (true) {
            $settings['appendonly'] !== 'yes' => Durability::None,
            $settings['appendfsync'] === 'always' => Durability::EachJob,
            default => Durability::Seconds,
        }, $settings);
    }

    /** Asked by itself, since packages differ in what they make of the answer. */
    public static function ofBeanstalkd(string $host, int $port): DriverFacts
    {
        $socket = @stream_socket_client("tcp://{$host}:{$port}", $code, $said, self::BEANSTALKD_SECONDS);

        if ($socket === false) {
            return new DriverFacts('beanstalkd', Durability::Unknown);
        }

        stream_set_timeout($socket, self::BEANSTALKD_SECONDS);
        fwrite($socket, "stats\r\n");
        $length = (int) preg_replace('/\D+/', '', (string) fgets($socket));
        $stats = $length > 0 ? (string) stream_get_contents($socket, $length) : '';
        fclose($socket);
        $settings = [];

        foreach (['version', 'binlog-current-index', 'max-job-size'] as $name) {
            $settings[$name] = preg_match("/^{$name}: \"?([^\"\n]*)/m", $stats, $m) === 1 ? $m[1] : '';
        }

        $hasLog = (int) $settings['binlog-current-index'] > 0;
        $version = $settings['version'];
        unset($settings['version']);

        return new DriverFacts("beanstalkd {$version}", $hasLog ? Durability::Seconds : Durability::None, ['-b' => $hasLog ? 'yes' : 'no', ...$settings]);
    }

    private static function ofMySql(Connection $connection): DriverFacts
    {
        $settings = [];

        foreach (['innodb_flush_log_at_trx_commit', 'sync_binlog', 'log_bin'] as $name) {
            $settings[$name] = self::find('value', self::flat($connection->selectOne("select @@global.{$name} as value")));
        }

        $version = self::find('version', self::flat($connection->selectOne('select version() as version')));
        $name = str_contains($version, 'MariaDB') ? 'MariaDB' : 'MySQL';

        return new DriverFacts("{$name} ".strtok($version, '-'), $settings['innodb_flush_log_at_trx_commit'] === '1' ? Durability::EachJob : Durability::Seconds, $settings);
    }

    private static function ofPostgres(Connection $connection): DriverFacts
    {
        $settings = [];

        foreach (['fsync', 'synchronous_commit', 'server_version'] as $name) {
            $settings[$name] = self::find($name, self::flat($connection->selectOne("show {$name}")));
        }

        $version = strtok($settings['server_version'], ' ');
        unset($settings['server_version']);

        return new DriverFacts("PostgreSQL {$version}", match (true) {
            $settings['fsync'] !== 'on' => Durability::None,
            $settings['synchronous_commit'] === 'off' => Durability::Seconds,
            default => Durability::EachJob,
        }, $settings);
    }

    private static function ofSqlite(Connection $connection): DriverFacts
    {
        $settings = [];

        foreach (['journal_mode', 'synchronous', 'busy_timeout'] as $name) {
            $settings[$name] = implode('', self::flat($connection->selectOne("pragma {$name}")));
        }

        $version = self::find('version', self::flat($connection->selectOne('select sqlite_version() as version')));
        $mode = $connection->getConfig('transaction_mode');
        // Before PHP 8.4 Laravel reads the setting and does not use it.
        $settings['transaction_mode'] = is_string($mode) && PHP_VERSION_ID >= 80_400 ? $mode : 'DEFERRED';

        return new DriverFacts("SQLite {$version}", match (true) {
            $settings['synchronous'] === '0', $settings['journal_mode'] === 'memory', $settings['journal_mode'] === 'off' => Durability::None,
            $settings['synchronous'] === '1' && $settings['journal_mode'] === 'wal' => Durability::Seconds,
            default => Durability::EachJob,
        }, $settings);
    }

    /**
     * All on one level, whether rows are objects or arrays.
     *
     * @return array<string, string>
     */
    private static function flat(mixed $answer): array
    {
        $flat = [];

        foreach (is_object($answer) || is_array($answer) ? (array) $answer : [] as $key => $value) {
            $flat += is_array($value) ? self::flat($value) : [(string) $key => is_scalar($value) ? (string) $value : ''];
        }

        return $flat;
    }

    /** @param array<string, string> $in */
    private static function find(string $name, array $in): string
    {
        return $in[$name] ?? '';
    }
}
