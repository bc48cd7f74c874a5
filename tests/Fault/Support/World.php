<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Generator;
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
    private ?Manager $manager = null;

    /**
     * @param array<string, scalar> $connection a connection of Laravel's
     * @param array<string, mixed> $options of every bucket
     */
    private function __construct(
        public readonly string $directory,
        private readonly array $connection,
        private readonly int $batch = 1000,
        private readonly int $segmentBytes = 33_554_432,
        private readonly string $file = 'lines.json',
        private readonly array $options = [],
        private readonly string $root = 'buffer',
        private readonly int $reserve = 0,
        private readonly ?RedisSide $redis = null,
    ) {}

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
        return json_encode(
            [
                $this->directory,
                $this->connection,
                $this->batch,
                $this->segmentBytes,
                $this->file,
                $this->options,
                $this->root,
                $this->reserve,
                $this->redis,
            ],
            JSON_THROW_ON_ERROR,
        );
    }

    public function withBatch(int $batch): self
    {
        return new self(
            $this->directory,
            $this->connection,
            $batch,
            $this->segmentBytes,
            $this->file,
            $this->options,
            $this->root,
            $this->reserve,
            $this->redis,
        );
    }

    public function withFile(string $file): self
    {
        return new self(
            $this->directory,
            $this->connection,
            $this->batch,
            $this->segmentBytes,
            $file,
            $this->options,
            $this->root,
            $this->reserve,
            $this->redis,
        );
    }

    public function withSegmentBytes(int $bytes): self
    {
        return new self(
            $this->directory,
            $this->connection,
            $this->batch,
            $bytes,
            $this->file,
            $this->options,
            $this->root,
            $this->reserve,
            $this->redis,
        );
    }

    /** @param array<string, mixed> $options of every bucket */
    public function withOptions(array $options, int $reserve = 0): self
    {
        return new self(
            $this->directory,
            $this->connection,
            $this->batch,
            $this->segmentBytes,
            $this->file,
            $options,
            $this->root,
            $reserve,
            $this->redis,
        );
    }

    /** The database's, too: it shares the disk. */
    public function withDurability(string $durability): self
    {
        return new self(
            $this->directory,
            ['synchronous' => 'full'] + $this->connection,
            $this->batch,
            $this->segmentBytes,
            $this->file,
            ['durability' => $durability] + $this->options,
            $this->root,
            $this->reserve,
            $this->redis,
        );
    }

    /** Its buckets are in Redis. */
    public function withRedis(RedisSide $redis): self
    {
        return new self(
            $this->directory,
            $this->connection,
            $this->batch,
            $this->segmentBytes,
            $this->file,
            $this->options,
            $this->root,
            $this->reserve,
            $redis,
        );
    }

    public function withoutRedis(): self
    {
        return new self(
            $this->directory,
            $this->connection,
            $this->batch,
            $this->segmentBytes,
            $this->file,
            $this->options,
            $this->root,
            $this->reserve,
        );
    }

    /** @param string $root where the buffer is, in the directory of the world */
    public function withRoot(string $root): self
    {
        return new self(
            $this->directory,
            $this->connection,
            $this->batch,
            $this->segmentBytes,
            $this->file,
            $this->options,
            $root,
            $this->reserve,
            $this->redis,
        );
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

    /** @return list<string> */
    public function logged(): array
    {
        return $this->linesOf("{$this->directory}/log");
    }

    /** @return list<string> */
    public function dispatched(): array
    {
        return $this->linesOf("{$this->directory}/dispatched");
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

    /** @return list<string> ids that arrived in the table, in the order of arrival, intact */
    public function rows(): array
    {
        return iterator_to_array($this->eachRow(), false);
    }

    /** @return Generator<string> the same, for millions */
    public function eachRow(): Generator
    {
        foreach ($this->database()->table('events')->select(['arrival', 'id', 'body'])->lazyById(
            5000,
            'arrival',
        ) as $row) {
            /** @var array{id: string, body: string} $event */
            $event = (array) $row;

            yield Event::idOf($event['id'], $event['body']);
        }
    }

    /** @return list<string> ids that arrived in the file, in the order of arrival, intact */
    public function lines(): array
    {
        $ids = [];

        foreach ($this->linesOf("{$this->directory}/{$this->file}") as $line) {
            /** @var array{id: string, body: string} $row */
            $row = json_decode($line, true, 4, JSON_THROW_ON_ERROR);
            $ids[] = Event::idOf($row['id'], $row['body']);
        }

        return $ids;
    }

    /** @return list<string> ids of the deliveries that the file was to receive, in order */
    public function deliveries(): array
    {
        return $this->linesOf("{$this->directory}/{$this->file}.deliveries");
    }

    /** Called by a process that a test will cut off from its database. */
    public function noteSession(): void
    {
        $session = $this->database()
            ->scalar($this->connection['driver'] === 'pgsql' ? 'select pg_backend_pid()' : 'select connection_id()');
        file_put_contents("{$this->directory}/session", json_encode($session));
    }

    public function endNotedSession(): void
    {
        $session = (int) file_get_contents("{$this->directory}/session");
        $this->database()->statement(
            $this->connection['driver'] === 'pgsql' ? "select pg_terminate_backend({$session})" : "kill {$session}",
        );
    }

    /** A statement that waits for another connection's lock in the database gives up soon. */
    public function beImpatient(): void
    {
        $this->database()->statement(match ($this->connection['driver']) {
            'pgsql' => "set lock_timeout = '500ms'",
            'sqlite' => 'pragma busy_timeout = 300',
            default => 'set session innodb_lock_wait_timeout = 1',
        });
    }

    public function destroy(): void
    {
        if ($this->connection['driver'] !== 'sqlite') {
            (new Tables($this->database()))->drop();
        }

        $this->manager?->getDatabaseManager()->purge();
        RemovedDirectory::remove($this->directory);
    }

    /** @return list<string> */
    private function linesOf(string $path): array
    {
        $content = is_file($path) ? trim((string) file_get_contents($path)) : '';

        return $content === '' ? [] : explode("\n", $content);
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

        return AppendConfig::fromArray([
            'path' => "{$this->directory}/{$this->root}",
            'segment_bytes' => $this->segmentBytes,
            'min_free_bytes' => $this->reserve,
            ...$redis,
            'buckets' => [
                'events' => ['sink' => 'database', 'table' => 'events', 'batch' => $this->batch, ...$this->options],
                'lines' => [
                    'sink' => 'file',
                    'path' => "{$this->directory}/{$this->file}",
                    'batch' => $this->batch,
                    ...$this->options,
                ],
                'rotating' => [
                    'sink' => 'file',
                    'path' => "{$this->directory}/{$this->file}",
                    'batch' => $this->batch,
                    'rotate' => '1K',
                    'gzip' => true,
                    ...$this->options,
                ],
                'picky' => ['sink' => 'picky', 'path' => "{$this->directory}/{$this->file}", 'batch' => $this->batch],
                'each' => [
                    'sink' => 'each',
                    'path' => "{$this->directory}/{$this->file}",
                    'batch' => $this->batch,
                    ...$this->options,
                ],
                'partly' => [
                    'sink' => 'partly',
                    'path' => "{$this->directory}/{$this->file}",
                    'batch' => $this->batch,
                    ...$this->options,
                ],
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
