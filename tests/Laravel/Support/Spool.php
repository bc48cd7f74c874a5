<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Closure;
use Headroom\Console\Spool\SpoolCommand;
use Headroom\Console\Spool\WorkCommand;
use Headroom\Core\Clock;
use Headroom\Core\Finding;
use Headroom\Core\SystemClock;
use Headroom\Laravel\Database\NodeTable;
use Headroom\Laravel\Sinks\LaravelSinkFactory;
use Headroom\Process\TemporaryDirectory;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Spool\Append\Notifier;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Health\Health;
use Headroom\Spool\Services\Backends;
use Headroom\Spool\Services\SpoolServices;
use Illuminate\Container\Container;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Connection;
use Illuminate\Filesystem\Filesystem;
use Psr\Log\AbstractLogger;
use Psr\Log\LoggerInterface;
use Stringable;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * A buffer and an SQLite database without an application around them. Each runtime sees them as a new process would.
 */
final class Spool
{
    public readonly string $path;

    /** There are no heartbeats without createNodes(). */
    private bool $hasNodes = false;

    /** @var list<string> */
    public array $logged = [];

    private readonly TemporaryDirectory $directory;

    private readonly Manager $databases;

    /** The container that builds the application's own sinks. */
    public readonly Container $container;

    /**
     * @param array<array-key, mixed> $buckets
     * @param array<string, mixed> $settings
     */
    public function __construct(
        public array $buckets = ['api-events' => ['sink' => 'database', 'table' => 'api_events']],
        public array $settings = [],
    ) {
        $this->directory = TemporaryDirectory::create('spool');
        $this->path = $this->directory->file('buffer');
        $this->directory->write('database.sqlite', '');
        $this->databases = new Manager;
        $this->container = new Container;
        $this->container->singleton(Arrivals::class);
        $this->connect('default', 'database.sqlite');
        $this->createLedger();
        $this->createEvents('api_events');
    }

    public function connect(string $name, string $file): void
    {
        $this->databases->addConnection(['driver' => 'sqlite', 'database' => $this->directory->file($file)], $name);
    }

    public function remove(): void
    {
        $this->database()->disconnect();
        (new Filesystem)->deleteDirectory($this->directory->path);
    }

    public function file(string $name): string
    {
        return $this->directory->file($name);
    }

    public function database(): Connection
    {
        return $this->databases->getConnection('default');
    }

    public function createLedger(): void
    {
        $this->database()->statement(
            'create table spool_ledger (source varchar(32), bucket varchar(64), position varchar(47), checksum'
                .' varchar(32), delivered integer, dead integer, updated_at datetime, primary key (source, bucket))',
        );
    }

    public function createNodes(): void
    {
        $this->hasNodes = true;
        $this->database()->statement(
            'create table spool_nodes (node varchar(32), machine varchar(32), host varchar(255), pid integer,'
                .' path text, since datetime, last_seen datetime, pending integer, oldest_seconds integer,'
                .' dead integer, dropped integer, troubled integer, buckets text, primary key (node, machine))',
        );
    }

    public function createEvents(string $table): void
    {
        $this->database()->statement("create table {$table} (id integer primary key, event text)");
    }

    /** @param ?Closure(): list<string> $alertCommand */
    public function runtime(
        Clock $clock = new SystemClock,
        ?LoggerInterface $log = null,
        ?Closure $alertCommand = null,
        ?Dispatcher $events = null,
    ): SpoolServices {
        return new SpoolServices(
            fn (): AppendConfig
                => AppendConfig::fromArray(['path' => $this->path, 'buckets' => $this->buckets, ...$this->settings]),
            new Backends(
                fn (): LaravelSinkFactory
                    => new LaravelSinkFactory($this->databases->getDatabaseManager(), $clock, $this->container),
                nodes: $this->hasNodes
                    ? fn (?string $connection): NodeTable
                        => new NodeTable($this->databases->getDatabaseManager(), $connection)
                    : null,
            ),
            new Notifier(
                fn (): LoggerInterface => $log ?? $this->logger(),
                $events === null ? null : static function (object $event) use ($events): void {
                    $events->dispatch($event);
                },
                $events === null ? null : $events->hasListeners(...),
            ),
            $clock,
            alertCommand: $alertCommand,
        );
    }

    public function add(int $count, string $bucket = 'api-events'): void
    {
        $buffer = $this->runtime()->buffer()->bucket($bucket);

        for ($i = 0; $i < $count; $i++) {
            $buffer->add(['event' => "event-{$i}"]);
        }
    }

    /**
     * @param class-string<SpoolCommand> $command
     * @param array<string, mixed> $input
     */
    public function run(string $command, array $input = [], ?SpoolServices $runtime = null): Outcome
    {
        $tester = new CommandTester(new $command($runtime ?? $this->runtime()));
        // The process is that of all tests, and may take what it likes.
        $exit = $tester->execute(
            $command === WorkCommand::class ? [...$input, '--memory' => '4096'] : $input,
            ['capture_stderr_separately' => true],
        );

        return new Outcome($exit, $tester->getDisplay(), $tester->getErrorOutput());
    }

    /** @return array<string, mixed> the only bucket, or the first, as spool:status has it */
    public function status(): array
    {
        return $this->runtime()->status()->buckets[0]->toArray();
    }

    /** @return list<Finding> */
    public function problems(): array
    {
        return (new Health($this->runtime()))->findings();
    }

    public function count(string $table = 'api_events'): int
    {
        return $this->database()->table($table)->count();
    }

    private function logger(): LoggerInterface
    {
        return new class($this) extends AbstractLogger
        {
            public function __construct(private readonly Spool $spool) {}

            public function log($level, string|Stringable $message, array $context = []): void
            {
                $this->spool->logged[] = (string) $message;
            }
        };
    }
}
