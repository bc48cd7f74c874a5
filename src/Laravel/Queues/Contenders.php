<?php

declare(strict_types=1);

namespace Headroom\Laravel\Queues;

use Closure;
use Headroom\Bench\Queues\Contender;
use Headroom\Bench\Queues\DriverFacts;
use Headroom\Bench\Queues\Given;
use Headroom\Bench\Queues\Interrupted;
use Headroom\Bench\Queues\Scenario;
use Headroom\Bench\Queues\Shape;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Bench\Queues\Variant;
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
 * Makes the rows of a scenario: a queue connection for each, with a queue of its own that no other worker looks at.
 *
 * @internal
 */
final class Contenders
{
    private readonly string $queue;

    private int $count = 0;

    /** @var array<string, mixed> configuration of servers that were started for this, by keys with dots */
    private array $servers = [];

    /** @var array<string, JobsTable> by subject */
    private array $tables = [];

    /** @param Closure(string): void $say */
    public function __construct(private readonly Application $app, private readonly Subjects $subjects, private readonly Clock $clock, private readonly Closure $say)
    {
        $this->queue = 'headroom-bench-'.bin2hex(random_bytes(4));
    }

    /**
     * @param list<string> $names of drivers
     * @return list<Contender> none when the scenario has no row for any of them
     * @throws UnableToBench
     */
    public function of(Scenario $scenario, array $names, Given $given): array
    {
        $contenders = [];

        $subjects = array_map($this->subjects->named(...), $names);
        // All know of all: a worker of one queue may have its cache in the server of another.
        $this->servers = array_merge($this->servers, ...array_map(static fn (Subject $subject): array => $subject->config, $subjects));
        Settings::apply($this->app, $this->servers);

        foreach ($subjects as $subject) {
            foreach ($scenario->shapes($subject->driver(), $given, $scenario === Scenario::Cache ? $this->stores($subject) : []) as $shape) {
                try {
                    $contenders[] = $this->contender($subject, $shape);
                } catch (HeadroomException $e) {
                    throw $e;
                } catch (Throwable $e) {
                    throw Interrupted::within($e) ?? UnableToBench::driver($subject->name, 'connecting', $e);
                }
            }
        }

        return $contenders;
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

    private function contender(Subject $subject, Shape $shape): Contender
    {
        $name = 'headroom-bench-'.++$this->count;
        $queue = $this->queue($subject);
        $connection = ['queue' => $queue, 'after_commit' => false, ...$shape->connection] + $subject->connection;
        $config = $this->servers + $shape->config;
        $table = null;
        $workload = $subject->workers === null ? $shape->workload : $shape->workload->by(min($subject->workers, $shape->workload->workers));

        if ($shape->workload->retryAfter !== null) {
            $connection['retry_after'] = $shape->workload->retryAfter;
        }

        if ($subject->driver() === 'database') {
            $table = $this->table($subject);
            $connection['table'] = $table->name;
        }

        if ($subject->driver() === 'redis' && $shape->redis !== []) {
            $config += Settings::ofRedis($this->config(), $subject->text('connection', 'default'), $name, [...$shape->redis, 'persistent_id' => $name]);
            $connection['connection'] = $name;
        }

        $config["queue.connections.{$name}"] = $connection;
        Settings::apply($this->app, $config);
        $variant = new Variant($shape->name === '' ? $subject->name : "{$subject->name}, {$shape->name}", $this->facts($subject, $table), $workload);
        $driver = new LaravelDriver($this->app->make(QueueManager::class), $name, $queue, $this->clock);

        return new Contender(
            $variant,
            match (true) {
                $table !== null => new DatabaseDriver($driver, $table),
                // One that was started for this has nothing that could be pushed out.
                $subject->driver() === 'redis' && $subject->config === [] => new RedisDriver($driver, $this->node($subject), $variant->name),
                default => $driver,
            },
            ['config' => $config, 'connection' => $name, 'queue' => $queue],
        );
    }

    private function queue(Subject $subject): string
    {
        // All keys of a queue lie in one server of a cluster then.
        return $subject->driver() === 'redis' ? "{{$this->queue}}" : $this->queue;
    }

    private function node(Subject $subject): RedisNode
    {
        return new RedisNode($this->app->make(Factory::class)->connection($subject->text('connection', 'default')), $this->queue($subject));
    }

    private function table(Subject $subject): JobsTable
    {
        $connection = $this->connection($subject);

        return $this->tables[$subject->name] ??= JobsTable::like($connection, $subject->text('table', 'jobs'), $this->say);
    }

    private function connection(Subject $subject): Connection
    {
        $name = $subject->text('connection');

        $connection = $this->app->make(DatabaseManager::class)->connection($name === '' ? null : $name);

        // A replica may know other settings, no table that was made just now, and fewer jobs than there are.
        return $connection->useWriteConnectionWhenReading();
    }

    private function facts(Subject $subject, ?JobsTable $table): DriverFacts
    {
        $facts = match ($subject->driver()) {
            'database' => ServerFacts::ofDatabase($this->connection($subject)),
            'redis' => ServerFacts::ofRedis($this->node($subject)),
            'beanstalkd' => ServerFacts::ofBeanstalkd($subject->text('host', '127.0.0.1'), (int) $subject->text('port', '11300')),
            default => DriverFacts::unknown($this->app->make(QueueManager::class)->connection($this->config()->has("queue.connections.{$subject->name}") ? $subject->name : null)::class),
        };
        $notes = [
            ...$subject->notes,
            ...($table?->isCopy === true ? ["its table has the columns and indexes of `{$subject->text('table')}`"] : []),
            ...($subject->driver() === 'beanstalkd' && self::hasStandIn() ? ['driven by a stand-in for pda/pheanstalk that this repository has, not by the package'] : []),
        ];

        return new DriverFacts($facts->software, $facts->durability, $facts->settings, [...$facts->notes, ...$notes]);
    }

    private static function hasStandIn(): bool
    {
        return defined('Pheanstalk\Pheanstalk::STAND_IN');
    }

    /** @return list<string> names of cache stores */
    private function stores(Subject $subject): array
    {
        // On a server that was started for this, which has no tables yet.
        isset($subject->config['cache.stores.database']) ? CacheStores::makeTable($this->connection($subject)) : null;

        return (new CacheStores($this->app->make(CacheManager::class), $this->config(), $this->say))->names();
    }

    private function config(): Repository
    {
        return $this->app->make(Repository::class);
    }
}
