<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Closure;
use Headroom\Bench\Queues\UnableToBench;
use Illuminate\Contracts\Config\Repository;

/**
 * Finds what is meant by `redis` or `database:mysql` in the application's configuration.
 *
 * @internal
 */
final readonly class QueuesUnderTest
{
    /** Their jobs never wait for a worker. */
    private const IMMEDIATE = ['sync', 'null', 'deferred', 'background'];

    /** They hand jobs to other connections, with the table or the keys of those. */
    private const WRAPPING = ['failover'];

    private const WITH_SERVER = ['database', 'redis', Beanstalkd::DRIVER];

    private const RETRY_AFTER = 90;

    /**
     * @param array<string, QueueUnderTest> $servers those that were started for this, by name;
     *     they go before the application's
     */
    public function __construct(private Repository $config, private array $servers = []) {}

    /** Whether there are servers that are nobody's. */
    public function areStarted(): bool
    {
        return $this->servers !== [];
    }

    /**
     * Before anything is started: those that can not be measured, whatever server runs.
     *
     * @param list<string> $names
     * @param list<string> $started those that will be
     * @param Closure(string): void $say
     * @throws InvalidDriver
     * @throws UnableToBench
     */
    public function check(array $names, array $started, Closure $say): void
    {
        foreach (array_diff($names, $started) as $name) {
            $driver = $this->named($name)->driver();

            if ($started !== []) {
                // The full load was not meant for a server that somebody uses.
                in_array($driver, self::WITH_SERVER, true)
                    ? throw InvalidDriver::notStarted($name, $started)
                    : $say("{$name} is a connection of the application's own: no server is started for it.");
            }
        }
    }

    /**
     * @throws InvalidDriver
     * @throws UnableToBench
     */
    public function named(string $name): QueueUnderTest
    {
        return $this->servers[$name]
            ?? (str_starts_with($name, 'database:') ? $this->database($name) : $this->queue($name));
    }

    /**
     * @throws InvalidDriver
     * @throws UnableToBench
     */
    private function queue(string $name): QueueUnderTest
    {
        $connections = (array) $this->config->get('queue.connections', []);
        $connection = $connections[$name] ?? null;

        if (! is_array($connection)) {
            throw InvalidDriver::unknownConnection($name, array_map(strval(...), array_keys($connections)));
        }

        $subject = new QueueUnderTest($name, self::keyed($connection));

        $subject->driver() === Beanstalkd::DRIVER ? Beanstalkd::check($name) : null;

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
    private function database(string $name): QueueUnderTest
    {
        $connection = substr($name, strlen('database:'));
        $known = (array) $this->config->get('database.connections', []);

        return isset($known[$connection])
            ? new QueueUnderTest($name, [
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
