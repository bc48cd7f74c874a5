<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\CollectorConfig;
use Headroom\Collector\Handler;
use Headroom\Collector\HttpClient;
use Headroom\Collector\ListenAddress;
use Headroom\Collector\RequestHandler;
use Headroom\Collector\Server\Metrics\MetricsAggregator;
use Headroom\Collector\Server\Metrics\MetricsFiles;
use Headroom\Process\Supervision\Channel;
use Headroom\Process\Supervision\ProcessHandle;
use Headroom\Process\Supervision\SlotOptions;
use Headroom\Process\Supervision\SpawnedProcesses;
use Headroom\Process\Supervision\WorkerSlot;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\InvalidConfig;

/**
 * The collector as its commands see it: the supervisor, its workers and flushers, and their state directory.
 *
 * @internal
 */
final class Collector
{
    private const MAIN = 3;

    private const ADMIN = 5;

    private const BIND_MICROS = 100_000;

    /** Workers of a killed supervisor end within that time. */
    private const MAX_BINDS = 50;

    private const ASSIGNMENT_SECONDS = 10;

    private const MAX_FAILURES = 5;

    /** A flusher with an invalid configuration has exited by then. */
    private const FLUSHER_PROVEN_SECONDS = 3;

    private const MIN_MEMORY_BYTES = 268_435_456;

    private readonly SpawnedProcesses $processes;

    private ?CollectorConfig $config = null;

    /**
     * @param Closure(): CollectorConfig $read
     * @param list<string> $entry command line before the name of a command: interpreter, script
     * @param string $directory working directory of the processes; it may be a symbolic link that a deploy switches
     * @param array{worker: string, flusher: string} $names of commands
     * @param Closure(CollectorConfig, SpoolServices, string): RequestHandler $makeIngest
     *     from the configuration, the services and the directory of the collector
     * @param Closure(class-string<Handler>, HttpClient): object $makeHandler
     */
    public function __construct(
        private readonly Closure $read,
        public readonly SpoolServices $spool,
        private readonly array $entry,
        private readonly string $directory,
        private readonly array $names,
        private readonly Closure $makeIngest,
        private readonly Closure $makeHandler,
    ) {
        $this->processes = new SpawnedProcesses;
    }

    /** @throws InvalidConfig */
    public function config(): CollectorConfig
    {
        return $this->config ??= ($this->read)();
    }

    public function stateDirectory(): StateDirectory
    {
        $config = $this->spool->config();

        return new StateDirectory($config->path, $config->directoryMode(), $config->fileMode());
    }

    /** @return list<string> command line of one of its commands */
    public function command(string $name): array
    {
        return [...$this->entry, str_replace('collect:worker', $name, $this->names['worker'])];
    }

    /** The working directory of its processes. */
    public function directory(): string
    {
        return $this->directory;
    }

    public function control(): CollectorControl
    {
        return new CollectorControl($this->stateDirectory(), $this->spool->clock());
    }

    /**
     * Runs until a signal ends it.
     *
     * @param array<string, mixed> $options of the command line; they replace those of the configuration
     * @param Closure(string): void $log
     * @return int exit code
     *
     * @throws InvalidConfig
     * @throws UnableToServe
     */
    public function supervise(array $options, Closure $log): int
    {
        $loops = EventLoopFactory::best();
        self::requireExtensions();
        $config = $this->config()->with($options);
        $stateDirectory = $this->stateDirectory();
        // Each worker builds one. An error in the configuration must end this process, not each worker again and again.
        ($this->makeIngest)($config, $this->spool, $stateDirectory->path);
        $stateDirectory->acquireLock($this->spool->clock());
        $stateDirectory->removeTemporaryFiles();
        (new StaleWorkers($stateDirectory))->killStopped($this->directory, $log);
        $systemd = new SystemdNotifier(getenv(), (int) getmypid());
        $inheritedSockets = $systemd->sockets();
        $sockets = ['main' => $inheritedSockets['main'] ?? $this->bind($config->listen(), $stateDirectory, $log)];
        $admin = $config->admin();

        if (isset($inheritedSockets['admin']) || $admin !== null) {
            $sockets['admin'] = $inheritedSockets['admin']
                ?? $this->bind($admin ?? $config->listen(), $stateDirectory, $log);
        }

        $assignment = ['sockets' => array_keys($sockets), 'mayShut' => $inheritedSockets === [], 'options' => $options];
        $workers = $this->workers($config, $sockets, $assignment);
        $flushers = $this->flushers($config, $log);
        $log($this->limits($config, $loops, count($workers) + count($flushers)));
        $pool = new WorkerPool(
            $workers,
            $flushers,
            $log,
            $this->spool->clock(),
            $config->timeouts()->drain * 1_000_000_000,
        );
        $aggregator = new MetricsAggregator($pool, $stateDirectory, new MetricsFiles($stateDirectory), $this->spool);

        return (new SupervisorLoop(
            $pool,
            $stateDirectory,
            array_values($sockets),
            $inheritedSockets === [],
            $systemd,
            $this->spool->clock(),
            $aggregator->tick(...),
            $log,
        ))->run();
    }

    /**
     * Runs one worker. The hidden command collect:worker calls it.
     *
     * @param Closure(string): void $log
     *
     * @throws InvalidConfig
     * @throws UnableToServe
     */
    public function work(Closure $log): void
    {
        self::requireExtensions();
        self::raiseMemoryLimit();
        $supervisor = Channel::inherited() ?? throw UnableToServe::notIntroduced();
        $assignment = $supervisor->next(self::ASSIGNMENT_SECONDS)?->content;

        if (! is_array($assignment)) {
            throw UnableToServe::notIntroduced();
        }

        $options = $assignment['options'] ?? null;
        $sockets = $assignment['sockets'] ?? null;
        $config = $this->config()->with(is_array($options) ? $options : []);
        $listeners = ['main' => Listener::inherited(self::MAIN)];

        if (is_array($sockets) && in_array('admin', $sockets, true)) {
            $listeners['admin'] = Listener::inherited(self::ADMIN);
        }

        $stateDirectory = $this->stateDirectory();
        $factory = new WorkerFactory(
            $config,
            $this->spool,
            $stateDirectory,
            ($this->makeIngest)($config, $this->spool, $stateDirectory->path),
            $this->makeHandler,
            $log,
        );
        $factory->create($supervisor, $listeners, ($assignment['mayShut'] ?? null) === true)->run();
    }

    /** @throws UnableToServe */
    private static function requireExtensions(): void
    {
        foreach (['pcntl' => 'pcntl_async_signals', 'posix' => 'posix_kill'] as $extension => $function) {
            if (! function_exists($function)) {
                throw UnableToServe::missing(
                    "PHP's extension {$extension}",
                    $extension === 'posix'
                        ? 'apt-get install php'.PHP_MAJOR_VERSION.'.'.PHP_MINOR_VERSION.'-common'
                        : 'apt-get install php'.PHP_MAJOR_VERSION.'.'.PHP_MINOR_VERSION.'-cli',
                );
            }
        }
    }

    /**
     * PHP's default limit of 128 MiB would end a worker with all its requests. `recycle` replaces a worker before it
     * reaches this higher limit.
     */
    private static function raiseMemoryLimit(): void
    {
        $limit = ini_parse_quantity(ini_get('memory_limit'));

        if ($limit > 0 && $limit < self::MIN_MEMORY_BYTES) {
            ini_set('memory_limit', (string) self::MIN_MEMORY_BYTES);
        }
    }

    /**
     * @param Closure(string): void $log
     *
     * @throws UnableToServe
     */
    private function bind(ListenAddress $address, StateDirectory $stateDirectory, Closure $log): Listener
    {
        for ($tries = 1; ; $tries++) {
            try {
                return Listener::bind($address);
            } catch (UnableToServe $e) {
                if ($tries >= self::MAX_BINDS) {
                    throw $e;
                }

                // Only workers of this collector are killed, no other process.
                if ($tries === self::MAX_BINDS - 10) {
                    (new StaleWorkers($stateDirectory))->kill($log);
                }

                $this->spool->clock()->sleep(self::BIND_MICROS);
            }
        }
    }

    /**
     * @param array<string, Listener> $sockets
     * @param array<string, mixed> $assignment
     * @return list<WorkerSlot>
     */
    private function workers(CollectorConfig $config, array $sockets, array $assignment): array
    {
        $descriptors = [self::MAIN => $sockets['main']->stream]
            + (isset($sockets['admin']) ? [self::ADMIN => $sockets['admin']->stream] : []);
        $options = new SlotOptions(sendsHeartbeats: true, maxFailures: self::MAX_FAILURES);
        $command = [...$this->entry, $this->names['worker']];

        return array_map(fn (int $number): WorkerSlot => new WorkerSlot(
            "worker {$number}",
            function () use ($number, $command, $descriptors, $assignment): ProcessHandle {
                $worker = $this->processes->start("worker {$number}", $command, $this->directory, $descriptors);
                $worker->channel?->send('assignment', $assignment);

                return $worker;
            },
            $options,
        ), range(1, $config->workers ?? self::cores()));
    }

    /**
     * @param Closure(string): void $log
     * @return list<WorkerSlot>
     */
    private function flushers(CollectorConfig $config, Closure $log): array
    {
        $buckets = array_map(
            static fn (BucketConfig $bucket): string => $bucket->name,
            array_filter(
                $this->spool->config()->buckets(),
                static fn (BucketConfig $bucket): bool => ! $bucket->hasNoSink(),
            ),
        );

        if (! in_array($config->bucket, $buckets, true)) {
            $log(
                "no flusher delivers the events of bucket '{$config->bucket}'; the buffer keeps them until the"
                    .' bucket has a'
                    ." 'sink' under spool.buckets",
            );
        }

        $slots = [];
        $options = new SlotOptions(provenSeconds: self::FLUSHER_PROVEN_SECONDS, maxFailures: self::MAX_FAILURES);

        // A second flusher of a bucket would only wait for the first.
        for ($number = 0; $number < min($config->flushers, count($buckets)); $number++) {
            $own = array_values(array_filter(
                array_values($buckets),
                static fn (int $at): bool => $at % $config->flushers === $number,
                ARRAY_FILTER_USE_KEY,
            ));
            $name = 'flusher '.($number + 1);
            $command = [...$this->entry, $this->names['flusher'], ...$own];
            $slots[] = new WorkerSlot(
                $name,
                fn (): ProcessHandle => $this->processes->start($name, $command, $this->directory),
                $options,
            );
        }

        return $slots;
    }

    private function limits(CollectorConfig $config, EventLoopFactory $loops, int $processes): string
    {
        $limits = [];

        foreach ([...$config->limits()->all(), ...$config->timeouts()->all()] as $name => $value) {
            $limits[] = "{$name} {$value}";
        }

        return sprintf(
            'loop %s, %d descriptors per worker, %d processes, bucket %s; %s',
            $loops->name,
            min($loops->descriptors, $config->descriptors ?? PHP_INT_MAX),
            $processes,
            $config->bucket,
            implode(', ', $limits),
        );
    }

    private static function cores(): int
    {
        $text = @file_get_contents('/proc/cpuinfo');

        return max(1, preg_match_all('/^processor\s*:/m', $text === false ? '' : $text));
    }
}
