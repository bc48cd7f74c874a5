<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Core\Position;
use Headroom\Core\SystemClock;
use Headroom\Spool\Append\Notifier;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Buffer;
use Headroom\Spool\DeadLetters\DeadLetterQueue;
use Headroom\Spool\Delivery\Flusher;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Delivery\SinkRegistry;
use Headroom\Spool\Events\BufferRefused;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\Fsync\Syncer;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Maintenance\Cleaner;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Recovery\Replay;
use Headroom\Spool\Recovery\ReplayFrom;
use Headroom\Spool\Recovery\ReplayReport;
use Headroom\Spool\Services\Backends;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Tests\Support\KillableServer;
use Illuminate\Container\Container;
use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Connection;
use Illuminate\Events\Dispatcher;
use RuntimeException;

/**
 * One buffer, one database and one file to deliver to, in a directory of their own; the same for the test and for the
 * processes it starts.
 */
final class World
{
    use Arrivals;

    private ?Manager $manager = null;

    /**
     * @param array<string, scalar> $connection a connection of Laravel's
     * @param array<string, mixed> $options of every bucket
     */
    private function __construct(
        public readonly string $directory,
        private array $connection,
        private int $batch = 1000,
        private int $segmentBytes = 33_554_432,
        private string $file = 'lines.json',
        private array $options = [],
        private string $root = 'buffer',
        private int $reserve = 0,
        private ?RedisSide $redis = null,
    ) {}

    /** A copy has a connection of its own. */
    public function __clone()
    {
        $this->manager = null;
    }

    /** @param ?string $in a directory; the system's for temporary ones unless given */
    public static function create(Database $database = Database::Sqlite, ?string $in = null): self
    {
        $directory = ($in ?? sys_get_temp_dir()).'/headroom-fault-'.bin2hex(random_bytes(6));

        return self::at($directory, $database->connection($directory));
    }

    /** With a database of the test's own. */
    public static function on(KillableServer $server): self
    {
        $directory = sys_get_temp_dir().'/headroom-fault-'.bin2hex(random_bytes(6));

        return self::at($directory, $server->connection());
    }

    /** @param array<string, scalar> $connection */
    private static function at(string $directory, array $connection): self
    {
        mkdir($directory, 0700);

        if ($connection['driver'] === 'sqlite') {
            touch("{$directory}/database.sqlite");
        }

        $world = new self($directory, $connection);
        (new Tables($world->database()))->create();

        return $world;
    }

    public static function fromJson(string $json): self
    {
        /**
         * @var array{
         *     string, array<string, scalar>, int, int, string, array<string, scalar>, string, int,
         *     ?array<string, mixed>,
         * } $fields toJson() wrote them
         */
        $fields = json_decode($json, true, 5, JSON_THROW_ON_ERROR);
        $fields[8] = $fields[8] === null ? null : RedisSide::fromArray($fields[8]);

        return new self(...$fields);
    }

    public function toJson(): string
    {
        return json_encode([
            $this->directory, $this->connection, $this->batch, $this->segmentBytes, $this->file, $this->options,
            $this->root, $this->reserve, $this->redis,
        ], JSON_THROW_ON_ERROR);
    }

    public function withBatch(int $batch): self
    {
        $world = clone $this;
        $world->batch = $batch;

        return $world;
    }

    public function withFile(string $file): self
    {
        $world = clone $this;
        $world->file = $file;

        return $world;
    }

    public function withSegmentBytes(int $bytes): self
    {
        $world = clone $this;
        $world->segmentBytes = $bytes;

        return $world;
    }

    /** @param array<string, mixed> $options of every bucket */
    public function withOptions(array $options, int $reserve = 0): self
    {
        $world = clone $this;
        $world->options = $options;
        $world->reserve = $reserve;

        return $world;
    }

    /** The database's, too: it shares the disk. */
    public function withDurability(string $durability): self
    {
        $world = clone $this;
        $world->connection = ['synchronous' => 'full'] + $this->connection;
        $world->options = ['durability' => $durability] + $this->options;

        return $world;
    }

    /** Its buckets are in Redis. */
    public function withRedis(RedisSide $redis): self
    {
        $world = clone $this;
        $world->redis = $redis;

        return $world;
    }

    public function withoutRedis(): self
    {
        $world = clone $this;
        $world->redis = null;

        return $world;
    }

    /** @param string $root where the buffer is, in the directory of the world */
    public function withRoot(string $root): self
    {
        $world = clone $this;
        $world->root = $root;

        return $world;
    }

    public function store(?FaultPoint $faultPoint = null, ?Buffer $buffer = null): FileStore
    {
        return new FileStore(
            "{$this->directory}/{$this->root}",
            new Permissions,
            new SystemClock,
            $buffer,
            $faultPoint,
            $this->settings()->whole(),
        );
    }

    public function buffer(?FaultPoint $faultPoint = null, Clock $clock = new SystemClock): Buffer
    {
        return $this->redis === null
            ? Buffer::onDisk($this->settings(), $clock, $faultPoint)
            : $this->runtime($clock, $faultPoint)->buffer();
    }

    /** With everything around it, as an application has it; a buffer made by it does as `overflow` says. */
    public function runtime(Clock $clock = new SystemClock, ?FaultPoint $faultPoint = null): SpoolServices
    {
        return new SpoolServices(
            $this->settings(...),
            new Backends(
                fn (): FaultSinks => new FaultSinks(
                    $this->manager()->getDatabaseManager(),
                    $faultPoint ?? new CallingCheckpoint(static function (): void {}),
                ),
                $this->redis === null ? null : $this->redis->client(...),
            ),
            new Notifier(
                fn (): FileLogger => new FileLogger("{$this->directory}/log"),
                function (object $event): void {
                    if ($event instanceof BufferRefused) {
                        file_put_contents(
                            "{$this->directory}/dispatched",
                            "{$event->bucket} {$event->failure->value} {$event->outcome->value} {$event->count}\n",
                            FILE_APPEND,
                        );
                    }
                },
                static fn (string $event): bool => $event === BufferRefused::class,
            ),
            $clock,
            faultPoint: $faultPoint,
        );
    }

    public function layout(string $bucket = 'events'): Layout
    {
        return $this->store()->layout($bucket);
    }

    /** @param list<string> $ids one append each */
    public function append(array $ids, string $bucket = 'events', ?Buffer $buffer = null): void
    {
        $intake = ($buffer ?? $this->buffer())->bucket($bucket);

        foreach ($ids as $id) {
            $intake->add(Event::of($id));
        }
    }

    public function flusher(?FaultPoint $faultPoint = null): Flusher
    {
        if ($this->redis !== null) {
            return $this->runtime(faultPoint: $faultPoint)->flusher();
        }

        $store = $this->store($faultPoint);

        return new Flusher(
            $faultPoint === null ? $store : new PointedStore($store, $faultPoint),
            $this->sinks($faultPoint),
            $this->settings()->whole(),
            $this->clock(),
        );
    }

    /** The machine's, unless the test has set one for all its processes. */
    public function clock(): Clock
    {
        return is_file(FileClock::path($this->directory)) ? new FileClock($this->directory) : new SystemClock;
    }

    public function flush(string $bucket = 'events', FlushOptions $limits = new FlushOptions(now: true)): FlushReport
    {
        return $this->flusher()->flush($bucket, $limits);
    }

    /** Makes segments of what was appended, and delivers nothing. */
    public function seal(string $bucket = 'events', ?Buffer $buffer = null): void
    {
        $lease = $this->store(buffer: $buffer)->claim($bucket)
            ?? throw new RuntimeException("Bucket '{$bucket}' is being flushed.");

        $lease->seal();
        $lease->close(Position::start());
    }

    public function letters(string $bucket = 'events'): DeadLetterQueue
    {
        return $this->runtime()->bucketTools($bucket)->letters();
    }

    public function replay(ReplayFrom $from, bool $again = false, string $bucket = 'events'): ReplayReport
    {
        $config = $this->settings()->whole()->bucket($bucket)
            ?? throw new RuntimeException("Bucket '{$bucket}' is not declared.");

        return (new Replay($this->runtime()->stores(), $this->sinks()))->run($config, $from, $again, false);
    }

    public function cleaner(Clock $clock, string $bucket = 'events'): Cleaner
    {
        return new Cleaner(
            $this->layout($bucket),
            new Permissions,
            $clock,
            ($this->options['durability'] ?? 'process') !== 'process',
        );
    }

    public function syncer(string $bucket = 'events', Clock $clock = new SystemClock): Syncer
    {
        return new Syncer("{$this->directory}/{$this->root}", $this->layout($bucket), new Permissions, $clock);
    }

    public function status(string $bucket = 'events'): BucketStatus
    {
        $status = $this->runtime()->status();

        foreach ($status->buckets as $seen) {
            if ($seen->bucket === $bucket) {
                return $seen;
            }
        }

        throw new RuntimeException("Bucket '{$bucket}' is not in the status.");
    }

    public function database(): Connection
    {
        return $this->manager()->getDatabaseManager()->connection();
    }

    public function destroy(): void
    {
        if ($this->connection['driver'] !== 'sqlite') {
            (new Tables($this->database()))->drop();
        }

        $this->manager?->getDatabaseManager()->purge();
        RemovedDirectory::remove($this->directory);
    }

    private function sinks(?FaultPoint $faultPoint = null): SinkRegistry
    {
        return new SinkRegistry(new FaultSinks(
            $this->manager()->getDatabaseManager(),
            $faultPoint ?? new CallingCheckpoint(static function (): void {}),
        ));
    }

    private function settings(): AppendConfig
    {
        $redis = $this->redis === null ? [] : ['store' => 'redis', 'redis' => $this->redis->settings()];
        $file = ['path' => "{$this->directory}/{$this->file}", 'batch' => $this->batch];

        return AppendConfig::fromArray([
            'path' => "{$this->directory}/{$this->root}",
            'segment_bytes' => $this->segmentBytes,
            'min_free_bytes' => $this->reserve,
            ...$redis,
            'buckets' => [
                'events' => ['sink' => 'database', 'table' => 'events', 'batch' => $this->batch, ...$this->options],
                'lines' => ['sink' => 'file', ...$file, ...$this->options],
                'rotating' => ['sink' => 'file', ...$file, 'rotate' => '1K', 'gzip' => true, ...$this->options],
                'picky' => ['sink' => 'picky', ...$file],
                'each' => ['sink' => 'each', ...$file, ...$this->options],
                'partly' => ['sink' => 'partly', ...$file, ...$this->options],
                'broken' => ['sink' => 'broken', ...$this->options],
            ],
        ]);
    }

    private function manager(): Manager
    {
        if ($this->manager === null) {
            $container = new Container;
            $this->manager = new Manager($container);
            $this->manager->addConnection($this->connection);
            $this->manager->setEventDispatcher(new Dispatcher($container));
        }

        return $this->manager;
    }
}
