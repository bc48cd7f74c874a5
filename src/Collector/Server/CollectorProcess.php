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
 * The event intake as its commands see it: the process above, the processes below, and what is known of both.
 *
 * @internal
 */
final class CollectorProcess
{
    private const MAIN = 3;

    private const ADMIN = 5;

    private const BIND_MICROS = 100_000;

    /** Workers whose supervisor was killed leave within that time. */
    private const MOST_BINDS = 50;

    private const ASSIGNMENT_SECONDS = 10;

    private const MAX_FAILURES = 5;

    /** A flusher with a wrong configuration has ended by then. */
    private const FLUSHER_PROVEN_SECONDS = 3;

    private const LEAST_MEMORY = 268_435_456;

    private readonly SpawnedProcesses $processes;

    private ?CollectorConfig $config = null;

    /**
     * @param Closure(): CollectorConfig $read
     * @param list<string> $entry the program that has the commands: interpreter, script,
     *     what goes before a command's name
     * @param string $directory in which they are started, by the name that a deploy may switch
     * @param array{worker: string, flusher: string} $names of commands
     * @param Closure(CollectorConfig, SpoolServices, string): RequestHandler $taker what decides of requests;
     *     the string is the collector's directory
     * @param Closure(class-string<Handler>, HttpClient): object $make
     */
    public function __construct(
        private readonly Closure $read,
        public readonly SpoolServices $spool,
        private readonly array $entry,
        private readonly string $directory,
        private readonly array $names,
        private readonly Closure $taker,
        private readonly Closure $make,
    ) {
        $this->processes = new SpawnedProcesses;
    }

    /** @throws InvalidConfig */
    public function config(): CollectorConfig
    {
        return $this->config ??= ($this->read)();
    }

    public function home(): StateDirectory
    {
        $config = $this->spool->config();

        return new StateDirectory($config->path, $config->directoryMode(), $config->fileMode());
    }

    /** @return list<string> how one of its commands is called */
    public function command(string $name): array
    {
        return [...$this->entry, str_replace('collect:worker', $name, $this->names['worker'])];
    }

    /** Where its processes are started. */
    public function directory(): string
    {
        return $this->directory;
    }

    public function remote(): CollectorControl
    {
        return new CollectorControl($this->home(), $this->spool->clock());
    }

    /**
     * Runs until it is told to end.
     *
     * @param array<string, mixed> $said on the command line, in place of what the configuration says
     * @param Closure(string): void $say
     * @return int exit code
     *
     * @throws InvalidConfig
     * @throws UnableToServe
     */
    public function supervise(array $said, Closure $say): int
    {
        $loops = EventLoopFactory::best();
        self::demand();
        $config = $this->config()->with($said);
        $home = $this->home();
        // Each worker makes one. What is wrong with it ends this one at once, and not all of them again and again.
        ($this->taker)($config, $this->spool, $home->path);
        $home->acquireLock($this->spool->clock());
        $home->removeTemporaryFiles();
        $manager = new SystemdNotifier(getenv(), (int) getmypid());
        $given = $manager->sockets();
        $sockets = ['main' => $given['main'] ?? $this->bind($config->listen(), $home, $say)];
        $admin = $config->admin();

        if (isset($given['admin']) || $admin !== null) {
            $sockets['admin'] = $given['admin'] ?? $this->bind($admin ?? $config->listen(), $home, $say);
        }

        $assignment = ['sockets' => array_keys($sockets), 'mayShut' => $given === [], 'said' => $said];
        $workers = $this->workers($config, $sockets, $assignment);
        $flushers = $this->flushers($config, $say);
        $say($this->limits($config, $loops, count($workers) + count($flushers)));
        $crew = new WorkerPool(
            $workers,
            $flushers,
            $say,
            $this->spool->clock(),
            $config->timeouts()->drain * 1_000_000_000,
        );
        $ministry = new MetricsAggregator($crew, $home, new MetricsFiles($home), $this->spool);

        return (new SupervisorLoop(
            $crew,
            $home,
            array_values($sockets),
            $given === [],
            $manager,
            $this->spool->clock(),
            $ministry->look(...),
            $say,
        ))->run();
    }

    /**
     * What the hidden command does, in a process of its own.
     *
     * @param Closure(string): void $say
     *
     * @throws InvalidConfig
     * @throws UnableToServe
     */
    public function work(Closure $say): void
    {
        self::demand();
        self::haveMemory();
        $supervisor = Channel::inherited() ?? throw UnableToServe::notIntroduced();
        $assignment = $supervisor->next(self::ASSIGNMENT_SECONDS)?->content;
        $told = is_array($assignment) ? $assignment : throw UnableToServe::notIntroduced();
        $said = $told['said'] ?? null;
        $sockets = $told['sockets'] ?? null;
        $config = $this->config()->with(is_array($said) ? $said : []);
        $listeners = ['main' => Listener::inherited(self::MAIN)];

        if (is_array($sockets) && in_array('admin', $sockets, true)) {
            $listeners['admin'] = Listener::inherited(self::ADMIN);
        }

        $home = $this->home();
        $assembly = new WorkerFactory(
            $config,
            $this->spool,
            $home,
            ($this->taker)($config, $this->spool, $home->path),
            $this->make,
            $say,
        );
        $assembly->worker($supervisor, $listeners, ($told['mayShut'] ?? null) === true)->run();
    }

    /** @throws UnableToServe */
    private static function demand(): void
    {
        foreach (['pcntl' => 'pcntl_async_signals', 'posix' => 'posix_kill'] as $extension => $function) {
            function_exists($function)
                || throw UnableToServe::missing(
                    "PHP's extension {$extension}",
                    $extension === 'posix'
                        ? 'apt-get install php'.PHP_MAJOR_VERSION.'.'.PHP_MINOR_VERSION.'-common'
                        : 'apt-get install php'.PHP_MAJOR_VERSION.'.'.PHP_MINOR_VERSION.'-cli',
                );
        }
    }

    /**
     * PHP's own limit, 128 MiB by default, ends who reaches it with all that is under way.
     * `recycle` replaces him before.
     */
    private static function haveMemory(): void
    {
        $limit = ini_parse_quantity(ini_get('memory_limit'));

        if ($limit > 0 && $limit < self::LEAST_MEMORY) {
            ini_set('memory_limit', (string) self::LEAST_MEMORY);
        }
    }

    /**
     * @param Closure(string): void $say
     *
     * @throws UnableToServe
     */
    private function bind(ListenAddress $address, StateDirectory $home, Closure $say): Listener
    {
        for ($tries = 1; ; $tries++) {
            try {
                return Listener::bind($address);
            } catch (UnableToServe $e) {
                if ($tries >= self::MOST_BINDS) {
                    throw $e;
                }

                // Somebody else's process is not asked to go.
                if ($tries === self::MOST_BINDS - 10) {
                    (new StaleWorkers($home))->kill($say);
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
        $options = new SlotOptions(isNotifying: true, maxFailures: self::MAX_FAILURES);
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
     * @param Closure(string): void $say
     * @return list<WorkerSlot>
     */
    private function flushers(CollectorConfig $config, Closure $say): array
    {
        $buckets = array_map(
            static fn (BucketConfig $bucket): string => $bucket->name,
            array_filter(
                $this->spool->config()->buckets(),
                static fn (BucketConfig $bucket): bool => ! $bucket->hasNoSink(),
            ),
        );

        if (! in_array($config->bucket, $buckets, true)) {
            $say(
                "nothing delivers what is collected in bucket '{$config->bucket}': it is kept until the bucket has a"
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
        $words = [];

        foreach ([...$config->limits()->all(), ...$config->timeouts()->all()] as $name => $value) {
            $words[] = "{$name} {$value}";
        }

        return sprintf(
            'loop %s, %d descriptors per worker, %d processes, bucket %s; %s',
            $loops->name,
            min($loops->descriptors, $config->descriptors ?? PHP_INT_MAX),
            $processes,
            $config->bucket,
            implode(', ', $words),
        );
    }

    private static function cores(): int
    {
        $text = @file_get_contents('/proc/cpuinfo');

        return max(1, preg_match_all('/^processor\s*:/m', $text === false ? '' : $text));
    }
}
