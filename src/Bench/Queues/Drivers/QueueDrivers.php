<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Closure;
use Headroom\Bench\Interrupted;
use Headroom\Bench\Queues\BenchOptions;
use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\DriverUnderTest;
use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Bench\Queues\Scenarios\ScenarioVariant;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Bench\Queues\Variant;
use Headroom\Bench\Queues\Worker\TemporaryConfig;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Illuminate\Cache\CacheManager;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Contracts\Redis\Factory;
use Illuminate\Database\Connection;
use Illuminate\Database\DatabaseManager;
use Illuminate\Queue\QueueManager;
use Throwable;

/**
 * Makes the rows of a scenario: a queue connection each, with a queue that no other worker reads.
 *
 * @internal
 */
final class QueueDrivers
{
    private readonly string $queue;

    private int $count = 0;

    /** @var array<string, mixed> configuration of the temporary servers, by keys with dots */
    private array $servers = [];

    /**
     * @var array<string, mixed> configuration of the workers' cache, if it is not the application's, by keys with
     *     dots
     */
    private array $cache = [];

    /** @var array<string, JobsTable> by subject */
    private array $tables = [];

    /** @var array<string, DriverFacts> by subject, read once: later they would count this command's connections */
    private array $facts = [];

    /** @var array<string, UnableToBench> by subject; a second try would only take as long again */
    private array $failures = [];

    /**
     * @param Closure(string): void $log
     * @param ?int $workers that the user asked for; null for the default
     */
    public function __construct(
        private readonly Application $app,
        private readonly QueueConnectionFinder $finder,
        private readonly Clock $clock,
        private readonly Closure $log,
        private readonly ?int $workers = null,
    ) {
        $this->queue = 'headroom-bench-'.bin2hex(random_bytes(4));
    }

    /**
     * @param list<string> $names of drivers
     * @return list<DriverUnderTest> empty if the scenario has no row for any of them
     * @throws UnableToBench
     */
    public function of(Scenario $scenario, array $names, BenchOptions $options): array
    {
        $drivers = [];

        $subjects = array_map($this->finder->named(...), $names);
        // Each worker knows all connections: the worker of one queue may have its cache in the server of another.
        $this->servers = array_merge(
            $this->servers,
            ...array_map(static fn (QueueConnection $subject): array => $subject->config, $subjects),
        );
        TemporaryConfig::apply($this->app, $this->servers);
        $stores = $this->stores($scenario, $subjects);

        foreach ($subjects as $subject) {
            foreach ($scenario->variants($subject->driver(), $options, $stores) as $row) {
                $drivers[] = $this->rowOrNull($subject, $row);
            }
        }

        return $drivers;
    }

    /** A driver that cannot be reached does not stop the measurement of the others. */
    private function rowOrNull(QueueConnection $subject, ScenarioVariant $row): DriverUnderTest
    {
        try {
            return isset($this->failures[$subject->name])
                ? $this->unreachable($subject, $row)
                : $this->underTest($subject, $row);
        } catch (HeadroomException $e) {
            throw $e;
        } catch (Throwable $e) {
            $this->failures[$subject->name] = Interrupted::within($e) === null
                ? UnableToBench::driver($subject->name, 'connecting', $e)
                : throw Interrupted::within($e);

            return $this->unreachable($subject, $row);
        }
    }

    public function remove(): void
    {
        $interrupted = null;

        foreach ($this->tables as $table) {
            try {
                $table->stop();
            } catch (Interrupted $e) {
                $interrupted = $e;
            }
        }

        $interrupted === null ? null : throw $interrupted;
    }

    private function underTest(QueueConnection $subject, ScenarioVariant $row): DriverUnderTest
    {
        $name = 'headroom-bench-'.++$this->count;
        $queue = $this->queue($subject);
        $connection = ['queue' => $queue, 'after_commit' => false, ...$row->connection] + $subject->connection;
        $config = $this->cache + $subject->config + $this->servers;
        $table = null;
        $subject = $subject->driver() === 'database'
            ? SqliteWorkers::limited($subject, $this->connection($subject), $this->workers)
            : $subject;
        $workload = $subject->workers === null
            ? $row->workload
            : $row->workload->by(min($subject->workers, $row->workload->workers));

        if ($row->workload->retryAfter !== null) {
            $connection['retry_after'] = $row->workload->retryAfter;
        }

        if ($subject->driver() === 'database') {
            $table = $this->table($subject);
            $connection['table'] = $table->name;
        }

        if ($subject->driver() === 'redis' && $row->redis !== []) {
            $config += TemporaryConfig::ofRedis($this->config(), $subject->text('connection', 'default'), $name, [
                ...$row->redis,
                'persistent_id' => $name,
            ]);
            $connection['connection'] = $name;
        }

        $config["queue.connections.{$name}"] = $connection;
        TemporaryConfig::apply($this->app, $config);
        $variant = new Variant(self::name($subject, $row), $this->facts($subject, $table), $workload);
        $driver = new LaravelDriver($this->app->make(QueueManager::class), $name, $queue, $this->clock);

        return new DriverUnderTest(
            $variant,
            match (true) {
                $table !== null => new DatabaseDriver($driver, $table),
                // A temporary server has no keys that jobs could evict.
                $subject->driver() === 'redis'
                    && $subject->config === [] => new RedisDriver($driver, $this->node($subject), $variant->name),
                default => $driver,
            },
            // Not of this process, whose cache is not under test.
            ['config' => $row->config + $config, 'connection' => $name, 'queue' => $queue],
        );
    }

    private function unreachable(QueueConnection $subject, ScenarioVariant $row): DriverUnderTest
    {
        return new DriverUnderTest(
            new Variant(self::name($subject, $row), new DriverFacts('', Durability::Unknown), $row->workload),
            new Unreachable($this->failures[$subject->name]),
            [],
        );
    }

    private static function name(QueueConnection $subject, ScenarioVariant $row): string
    {
        return $row->name === '' ? $subject->name : "{$subject->name}, {$row->name}";
    }

    private function queue(QueueConnection $subject): string
    {
        // On a cluster, all keys of a queue must be in one slot.
        return $subject->driver() === 'redis' ? "{{$this->queue}}" : $this->queue;
    }

    private function node(QueueConnection $subject): RedisNode
    {
        return new RedisNode(
            $this->app->make(Factory::class)->connection($subject->text('connection', 'default')),
            $this->queue($subject),
        );
    }

    private function table(QueueConnection $subject): JobsTable
    {
        $connection = $this->connection($subject);

        return $this->tables[$subject->name] ??= JobsTable::like(
            $connection,
            $subject->text('table', 'jobs'),
            $this->log,
        );
    }

    private function connection(QueueConnection $subject): Connection
    {
        $name = $subject->text('connection');

        $connection = $this->app->make(DatabaseManager::class)->connection($name === '' ? null : $name);

        // A replica may have other settings, lack the new table, and report fewer jobs.
        return $connection->useWriteConnectionWhenReading();
    }

    private function facts(QueueConnection $subject, ?JobsTable $table): DriverFacts
    {
        return $this->facts[$subject->name] ??= $this->factsOf($subject, $table);
    }

    private function factsOf(QueueConnection $subject, ?JobsTable $table): DriverFacts
    {
        $facts = match ($subject->driver()) {
            'database' => ServerFacts::ofDatabase($this->connection($subject), $table?->name),
            'redis' => ServerFacts::ofRedis($this->node($subject)),
            'beanstalkd' => ServerFacts::ofBeanstalkd(
                $subject->text('host', '127.0.0.1'),
                (int) $subject->text('port', '11300'),
            ),
            default => DriverFacts::unknown(
                $this->app->make(QueueManager::class)->connection(
                    $this->config()->has("queue.connections.{$subject->name}") ? $subject->name : null,
                )::class,
            ),
        };
        $notes = [
            ...$subject->notes,
            // A temporary server has no table of the application.
            ...($table === null || $subject->config !== [] ? [] : $table->notes()),
            ...($subject->driver() === 'redis' && $subject->config === []
                ? (new RedisCaveats(
                    $this->node($subject),
                    $this->app->make(QueueManager::class)->connection($subject->name),
                ))->of($subject->text('queue', 'default'))
                : []),
            ...($subject->driver() === BeanstalkdPackage::DRIVER && BeanstalkdPackage::hasStandIn()
                ? ['a stand-in for pda/pheanstalk from this repository is the client, not the package']
                : []),
        ];

        return new DriverFacts($facts->software, $facts->durability, $facts->settings, [...$facts->notes, ...$notes]);
    }

    /**
     * @param list<QueueConnection> $subjects
     * @return list<string> names of cache stores, for the scenario that compares them
     */
    private function stores(Scenario $scenario, array $subjects): array
    {
        foreach ($subjects as $subject) {
            // On a temporary server, which has no tables yet.
            isset($subject->config['cache.stores.database'])
                ? CacheStores::makeTable($this->connection($subject))
                : null;
        }

        $stores = new CacheStores($this->app->make(CacheManager::class), $this->config(), $this->log);

        if ($scenario === Scenario::Cache) {
            return $stores->names();
        }

        $this->cache = $this->finder->areStarted() ? $this->cache + $stores->instead() : [];
        $this->config()->set($this->cache);

        return [];
    }

    private function config(): Repository
    {
        return $this->app->make(Repository::class);
    }
}
