<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Closure;
use Headroom\Bench\Queues\UnableToBench;
use Illuminate\Contracts\Config\Repository;

/**
 * Finds `redis` or `database:mysql` in the application's configuration.
 *
 * @internal
 */
final readonly class QueueConnectionFinder
{
    /** These run or drop jobs at once, so no job waits for a worker. */
    private const IMMEDIATE = ['sync', 'null', 'deferred', 'background'];

    /** These hand jobs to other connections, and use their tables or keys. */
    private const WRAPPING = ['failover'];

    private const WITH_SERVER = ['database', 'redis', BeanstalkdPackage::DRIVER];

    private const RETRY_AFTER = 90;

    /** @param array<string, QueueConnection> $servers the temporary ones, by name; they override the application's */
    public function __construct(private Repository $config, private array $servers = []) {}

    /** Whether there are temporary servers. */
    public function areStarted(): bool
    {
        return $this->servers !== [];
    }

    /**
     * Before anything starts: refuses drivers that cannot be measured on any server.
     * @param list<string> $names
     * @param list<string> $started temporary servers
     * @param Closure(string): void $log
     * @throws InvalidDriver
     * @throws UnableToBench
     */
    public function check(array $names, array $started, Closure $log): void
    {
        foreach (array_diff($names, $started) as $name) {
            $driver = $this->named($name)->driver();

            if ($started !== []) {
                // Full load must not hit a server that the user wanted to spare.
                in_array($driver, self::WITH_SERVER, true)
                    ? throw InvalidDriver::notStarted($name, $started)
                    : $log("{$name} is a connection of the application: no server is started for it.");
            }
        }
    }

    /**
     * @throws InvalidDriver
     * @throws UnableToBench
     */
    public function named(string $name): QueueConnection
    {
        return $this->servers[$name]
            ?? (str_starts_with($name, 'database:') ? $this->database($name) : $this->queue($name));
    }

    /**
     * @throws InvalidDriver
     * @throws UnableToBench
     */
    private function queue(string $name): QueueConnection
    {
        $connections = (array) $this->config->get('queue.connections', []);
        $connection = $connections[$name] ?? null;

        if (! is_array($connection)) {
            throw InvalidDriver::unknownConnection($name, array_map(strval(...), array_keys($connections)));
        }

        $subject = new QueueConnection($name, self::keyed($connection));

        $subject->driver() === BeanstalkdPackage::DRIVER ? BeanstalkdPackage::check($name) : null;

        return match (true) {
            in_array($subject->driver(), self::IMMEDIATE, true) => throw InvalidDriver::noWorkers(
                $name,
                $subject->driver(),
            ),
            in_array($subject->driver(), self::WRAPPING, true) => throw InvalidDriver::wrapsOthers(
                $name,
                $subject->driver(),
                array_values(array_filter((array) ($connection['connections'] ?? []), is_string(...))),
            ),
            default => $subject,
        };
    }

    /**
     * Laravel's database driver on any of the database connections.
     *
     * @throws InvalidDriver
     */
    private function database(string $name): QueueConnection
    {
        $connection = substr($name, strlen('database:'));
        $known = (array) $this->config->get('database.connections', []);

        return isset($known[$connection])
            ? new QueueConnection($name, [
                'driver' => 'database',
                'connection' => $connection,
                'table' => 'jobs',
                'retry_after' => self::RETRY_AFTER,
            ])
            : throw InvalidDriver::unknownDatabase($connection, array_map(strval(...), array_keys($known)));
    }

    /**
     * @param array<array-key, mixed> $array
     * @return array<string, mixed>
     */
    private static function keyed(array $array): array
    {
        $keyed = [];

        foreach ($array as $key => $value) {
            $keyed[(string) $key] = $value;
        }

        return $keyed;
    }
}
