<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\Checkpoint;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Buffer;
use Headroom\Spool\File\Cleaner;
use Headroom\Spool\File\FileStore;
use Headroom\Spool\File\Layout;
use Headroom\Spool\File\Permissions;
use Headroom\Spool\Flush\Flusher;
use Headroom\Spool\Flush\FlushReport;
use Headroom\Spool\Flush\Limits;
use Headroom\Spool\Sinks;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\StatusReader;
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

    /** @param array<string, scalar> $connection a connection of Laravel's */
    private function __construct(
        public readonly string $directory,
        private readonly array $connection,
        private readonly int $batch = 1000,
        private readonly int $segmentBytes = 33_554_432,
        private readonly string $file = 'lines.json',
    ) {}

    public static function create(Database $database = Database::Sqlite): self
    {
        $directory = sys_get_temp_dir().'/headroom-fault-'.bin2hex(random_bytes(6));
        $connection = $database->connection($directory);
        mkdir($directory, 0700);

        if ($database === Database::Sqlite) {
            touch("{$directory}/database.sqlite");
        }

        $world = new self($directory, $connection);
        (new Tables($world->database()))->create();

        return $world;
    }

    public static function fromJson(string $json): self
    {
        /** @var array{string, array<string, scalar>, int, int, string} $fields toJson() wrote them */
        $fields = json_decode($json, true, 4, JSON_THROW_ON_ERROR);

        return new self(...$fields);
    }

    public function toJson(): string
    {
        return json_encode([$this->directory, $this->connection, $this->batch, $this->segmentBytes, $this->file], JSON_THROW_ON_ERROR);
    }

    public function withBatch(int $batch): self
    {
        return new self($this->directory, $this->connection, $batch, $this->segmentBytes, $this->file);
    }

    public function withFile(string $file): self
    {
        return new self($this->directory, $this->connection, $this->batch, $this->segmentBytes, $file);
    }

    public function withSegmentBytes(int $bytes): self
    {
        return new self($this->directory, $this->connection, $this->batch, $bytes, $this->file);
    }

    public function store(?Checkpoint $checkpoint = null, ?Buffer $buffer = null): FileStore
    {
        return new FileStore("{$this->directory}/buffer", new Permissions, new SystemClock, $buffer, $checkpoint);
    }

    public function buffer(?Checkpoint $checkpoint = null, Clock $clock = new SystemClock): Buffer
    {
        return Buffer::onDisk($this->config(), $clock, $checkpoint);
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

    public function flusher(?Checkpoint $checkpoint = null): Flusher
    {
        return new Flusher($this->store($checkpoint), $this->sinks($checkpoint), $this->config(), new SystemClock);
    }

    public function flush(string $bucket = 'events', Limits $limits = new Limits): FlushReport
    {
        return $this->flusher()->flush($bucket, $limits);
    }

    public function cleaner(Clock $clock, string $bucket = 'events'): Cleaner
    {
        return new Cleaner($this->layout($bucket), new Permissions, $clock);
    }

    public function status(string $bucket = 'events'): BucketStatus
    {
        $status = (new StatusReader($this->store(), $this->sinks(), $this->config(), new SystemClock))->read();

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
        $ids = [];

        foreach ($this->database()->table('events')->select(['arrival', 'id', 'body'])->lazyById(5000, 'arrival') as $row) {
            /** @var array{id: string, body: string} $event */
            $event = (array) $row;
            $ids[] = Event::idOf($event['id'], $event['body']);
        }

        return $ids;
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
        $session = $this->database()->scalar($this->connection['driver'] === 'pgsql' ? 'select pg_backend_pid()' : 'select connection_id()');
        file_put_contents("{$this->directory}/session", json_encode($session));
    }

    public function endNotedSession(): void
    {
        $session = (int) file_get_contents("{$this->directory}/session");
        $this->database()->statement($this->connection['driver'] === 'pgsql' ? "select pg_terminate_backend({$session})" : "kill {$session}");
    }

    /** What waits for somebody else's lock in the database gives up soon. */
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

    private function sinks(?Checkpoint $checkpoint = null): Sinks
    {
        return new Sinks(new FaultSinks($this->manager()->getDatabaseManager(), $checkpoint ?? new CallingCheckpoint(static function (): void {})));
    }

    private function config(): SpoolConfig
    {
        return SpoolConfig::fromArray(['path' => "{$this->directory}/buffer", 'segment_bytes' => $this->segmentBytes, 'buckets' => [
            'events' => ['sink' => 'database', 'table' => 'events', 'batch' => $this->batch],
            'lines' => ['sink' => 'file', 'path' => "{$this->directory}/{$this->file}", 'batch' => $this->batch],
            'broken' => ['sink' => 'broken'],
        ]]);
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
