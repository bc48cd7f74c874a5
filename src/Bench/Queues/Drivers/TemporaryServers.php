<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Closure;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Bench\Servers\BeanstalkdServer;
use Headroom\Bench\Servers\MariaDbServer;
use Headroom\Bench\Servers\PostgresServer;
use Headroom\Bench\Servers\RedisServer;
use Headroom\Core\Clock;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;

/**
 * Temporary servers with the settings that they are shipped with, and queue connections to them.
 *
 * @internal
 */
final class TemporaryServers implements Stoppable
{
    private const RETRY_AFTER = 90;

    /**
     * As Laravel ships it, transactions are DEFERRED, so two workers that want the same job end in "database is
     * locked".
     */
    private const SQLITE = [
        'journal_mode' => 'WAL',
        'busy_timeout' => 60_000,
        'synchronous' => 'FULL',
        'transaction_mode' => 'IMMEDIATE',
    ];

    /** @var list<Stoppable> */
    private array $servers = [];

    private ?TemporaryDirectory $directory = null;

    public function __construct(private readonly Clock $clock) {}

    /** @return list<string> */
    public static function names(): array
    {
        return ['redis', 'beanstalkd', 'database:mariadb', 'database:pgsql', 'database:sqlite'];
    }

    /**
     * The servers that this application has a driver for.
     * @param Closure(string): void $log
     * @return list<string>
     */
    public static function usual(Closure $log): array
    {
        $missing = BeanstalkdPackage::missing();
        $missing === null ? null : $log("beanstalkd is left out: {$missing}");

        return $missing === null ? self::names() : array_values(array_diff(self::names(), [BeanstalkdPackage::DRIVER]));
    }

    /**
     * @param list<string> $names other names are ignored
     * @return array<string, QueueConnection> by name
     * @throws UnableToBench
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public function start(array $names): array
    {
        $subjects = [];
        in_array(BeanstalkdPackage::DRIVER, $names, true) ? BeanstalkdPackage::check(BeanstalkdPackage::DRIVER) : null;

        foreach (array_intersect($names, self::names()) as $name) {
            $subjects[$name] = match ($name) {
                'redis' => $this->redis($name),
                'beanstalkd' => $this->beanstalkd($name),
                'database:mariadb' => $this->mariaDb($name),
                'database:pgsql' => $this->postgres($name),
                default => $this->sqlite($name),
            };
        }

        return $subjects;
    }

    public function stop(): void
    {
        foreach ($this->servers as $server) {
            $server->stop();
        }

        $this->servers = [];
        $this->directory?->remove();
    }

    private function redis(string $name): QueueConnection
    {
        $this->servers[] = $server = RedisServer::start($this->clock);

        return new QueueConnection(
            $name,
            [
                'driver' => 'redis',
                'connection' => 'headroom-throw-away',
                'retry_after' => self::RETRY_AFTER,
                'block_for' => null,
            ],
            [
                'database.redis.headroom-throw-away' => [
                    'host' => '127.0.0.1',
                    'port' => $server->port,
                    'database' => 0,
                    'timeout' => 5.0,
                ],
                'cache.stores.redis' => [
                    'driver' => 'redis',
                    'connection' => 'headroom-throw-away',
                    'lock_connection' => 'headroom-throw-away',
                ],
            ],
        );
    }

    private function beanstalkd(string $name): QueueConnection
    {
        $this->servers[] = $server = BeanstalkdServer::start($this->clock);

        return new QueueConnection($name, [
            'driver' => 'beanstalkd',
            'host' => '127.0.0.1',
            'port' => $server->port,
            'retry_after' => self::RETRY_AFTER,
            'block_for' => 0,
        ]);
    }

    private function mariaDb(string $name): QueueConnection
    {
        $this->servers[] = $server = MariaDbServer::start($this->clock);

        return self::database($name, 'headroom-mariadb', [
            'driver' => 'mariadb', 'host' => '127.0.0.1', 'port' => $server->port, 'database' => $server->database,
            'username' => $server->username, 'password' => $server->password,
            'charset' => 'utf8mb4', 'collation' => 'utf8mb4_unicode_ci', 'prefix' => '', 'strict' => true,
        ]);
    }

    private function postgres(string $name): QueueConnection
    {
        $this->servers[] = $server = PostgresServer::start($this->clock);

        return self::database($name, 'headroom-pgsql', [
            'driver' => 'pgsql', 'host' => '127.0.0.1', 'port' => $server->port, 'database' => $server->database,
            'username' => $server->username, 'password' => $server->password,
            'charset' => 'utf8', 'prefix' => '', 'search_path' => 'public', 'sslmode' => 'prefer',
        ]);
    }

    private function sqlite(string $name): QueueConnection
    {
        $this->directory = TemporaryDirectory::create('bench-sqlite');

        return self::database($name, 'headroom-sqlite', [
            'driver' => 'sqlite',
            'database' => $this->directory->write('jobs.sqlite', ''),
            'prefix' => '',
            ...self::SQLITE,
        ]);
    }

    /** @param array<string, mixed> $config */
    private static function database(string $name, string $connection, array $config): QueueConnection
    {
        return new QueueConnection(
            $name,
            [
                'driver' => 'database',
                'connection' => $connection,
                'table' => 'jobs',
                'retry_after' => self::RETRY_AFTER,
            ],
            [
                "database.connections.{$connection}" => $config,
                'cache.stores.database' => [
                    'driver' => 'database',
                    'connection' => $connection,
                    'table' => 'cache',
                    'lock_connection' => $connection,
                    'lock_table' => 'cache_locks',
                ],
            ],
        );
    }
}
