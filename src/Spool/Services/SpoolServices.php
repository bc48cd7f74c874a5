<?php

declare(strict_types=1);

namespace Headroom\Spool\Services;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Core\HeadroomException;
use Headroom\Core\Position;
use Headroom\Core\SystemClock;
use Headroom\Sink\Source;
use Headroom\Spool\Append\Notifier;
use Headroom\Spool\Append\OverflowHandlers;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Buffer;
use Headroom\Spool\Delivery\Flusher;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Delivery\LedgerReader;
use Headroom\Spool\Delivery\SinkRegistry;
use Headroom\Spool\Events\BatchFlushed;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\Fsync\DirectoryFsync;
use Headroom\Spool\FileStore\Maintenance\Cleaner;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\RestartFile;
use Headroom\Spool\History\HistoryFile;
use Headroom\Spool\History\HistoryRecorder;
use Headroom\Spool\Monitoring\Nodes;
use Headroom\Spool\RedisStore\RedisStore;
use Headroom\Spool\RedisStore\StoreRegistry;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\SpoolStatus;
use Headroom\Spool\Store\Writer;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\InvalidConfig;
use Headroom\Support\Path;
use Headroom\Support\PhpRestrictions;
use Psr\Log\LoggerInterface;
use Throwable;

/**
 * Creates the parts of the buffer on first use. A console that lists its commands must not read a configuration that
 * may be invalid, and a request that only buffers must not create a sink.
 *
 * @internal
 */
final class SpoolServices
{
    private ?SpoolConfig $config = null;

    private ?FileStore $store = null;

    private ?StoreRegistry $stores = null;

    private ?Buffer $buffer = null;

    private ?WriterFactory $writerFactory = null;

    private ?HistoryRecorder $history = null;

    /**
     * @param Closure(): AppendConfig $read
     * @param ?Clock $clock null means the system clock
     * @param ?Closure(): Buffer $shared the buffer that the rest of this process writes to
     * @param ?Closure(): bool $isInMaintenance whether the application is in maintenance mode
     * @param ?Closure(string): string $program returns the start of a command line that sets these environment
     *     variables
     * @param ?string $foreignRoot root of a buffer that is not this application's own
     * @param ?Closure(): ?list<string> $alertCommand command line that checks the alerts; null without a receiver
     */
    public function __construct(
        private readonly Closure $read,
        private readonly Backends $backends,
        private readonly Notifier $notifier = new Notifier,
        private ?Clock $clock = null,
        private readonly ?Closure $shared = null,
        private readonly ?Closure $isInMaintenance = null,
        private readonly ?FaultPoint $faultPoint = null,
        private readonly ?Closure $program = null,
        private readonly ?string $foreignRoot = null,
        private readonly ?Closure $alertCommand = null,
    ) {}

    /**
     * Returns the configuration, completely checked, for commands.
     *
     * @throws InvalidConfig
     */
    public function config(): SpoolConfig
    {
        if ($this->config === null) {
            $config = $this->settings()->whole();
            $config->check();
            $this->config = $config;
        }

        return $this->config;
    }

    /** Returns the configuration unchecked, as a request reads it. */
    public function settings(): AppendConfig
    {
        return ($this->read)();
    }

    public function clock(): Clock
    {
        return $this->clock ??= new SystemClock;
    }

    public function store(): FileStore
    {
        return $this->store ??= new FileStore(
            $this->config()->path,
            Permissions::of($this->config()),
            $this->clock(),
            $this->buffer(),
            config: $this->config(),
        );
    }

    /** Returns the stores of all buckets, also of those that are not on this disk. */
    public function stores(): StoreRegistry
    {
        return $this->stores ??= new StoreRegistry(
            $this->store(),
            $this->config(),
            $this->backends->hasRedis() ? $this->redisStore(...) : null,
        );
    }

    private function redisStore(FileStore $disk): RedisStore
    {
        $config = $this->config();

        return new RedisStore(
            $this->backends->redis($config->redis()->connection),
            $disk,
            $config,
            $this->clock(),
            $this->faultPoint,
            $this->deliveredFromDisk(...),
        );
    }

    public function buffer(): Buffer
    {
        if ($this->shared !== null) {
            // Not cached, because a test may replace it with a fake.
            return ($this->shared)();
        }

        return $this->buffer ??= Buffer::onDisk(
            $this->config()->settings(),
            $this->clock,
            $this->faultPoint,
            fn (): OverflowHandlers => $this->writerFactory()->overflowHandlers(),
            fn (string $bucket): Writer => $this->writerFactory()->redisWriter($bucket),
            late: fn (string $bucket, string $oldest) => $this->writerFactory()->noteLate($bucket, $oldest),
        );
    }

    public function writerFactory(): WriterFactory
    {
        return $this->writerFactory ??= new WriterFactory(
            $this->settings(...),
            $this->backends,
            $this->notifier,
            $this->clock(),
            $this->faultPoint,
            $this->isInMaintenance(...),
        );
    }

    public function bucketTools(string $bucket): BucketTools
    {
        return new BucketTools($this, $bucket);
    }

    /**
     * Returns the position up to which the ledger has this disk's events of a bucket that is in Redis now.
     *
     * @throws UnableToFlush the ledger cannot be read
     */
    private function deliveredFromDisk(string $bucket): ?Position
    {
        $ledger = new LedgerReader(
            $this->sinks(),
            $this->config()->bucket($bucket),
            new Source($this->store()->node(), $bucket),
        );
        $progress = $ledger->progress();

        return $ledger->error === null
            ? $progress?->position
            : throw StorageUnavailable::ledgerUnknown($bucket, $ledger->error);
    }

    public function sinks(): SinkRegistry
    {
        return $this->backends->sinks();
    }

    /**
     * @param ?SinkRegistry $sinks null means the configured ones
     * @param ?SpoolConfig $config null means the application's
     */
    public function flusher(?SinkRegistry $sinks = null, ?SpoolConfig $config = null): Flusher
    {
        return new Flusher(
            $this->stores(),
            $sinks ?? $this->sinks(),
            $config ?? $this->config(),
            $this->clock(),
            $this->notifier->listens(BatchFlushed::class) ? $this->notifier->notify(...) : null,
            $this->history(),
        );
    }

    public function history(): HistoryRecorder
    {
        return $this->history ??= new HistoryRecorder(
            $this->historyOf(...),
            (new HistoryObserver($this, $this->backends))->observe(...),
            $this->clock(),
        );
    }

    /**
     * Flushes and then cleans the bucket, so that no second command has to be scheduled.
     *
     * @param ?Flusher $flusher delivers to another sink than the configured one
     */
    public function flush(string $bucket, FlushOptions $options, ?Flusher $flusher = null): FlushReport
    {
        return PhpRestrictions::within(fn (): FlushReport => (new CleaningFlush($this))->flush(
            $bucket,
            $options,
            $flusher ?? $this->flusher(),
        ));
    }

    public function status(): SpoolStatus
    {
        return StatusReaders::withLedgers($this)->read();
    }

    /** Returns the status without asking a sink or a database, and with one timeout of a Redis that hangs. */
    public function statusWithoutSql(): SpoolStatus
    {
        return StatusReaders::withoutSql($this, $this->backends)->read();
    }

    public function bucketWithoutSql(string $bucket): BucketStatus
    {
        return StatusReaders::withoutSql($this, $this->backends)->of($bucket);
    }

    /** Returns the status without the events in Redis. */
    public function statusOfDisk(): SpoolStatus
    {
        return StatusReaders::withLedgers($this)->ofDisk();
    }

    public function cleaner(string $bucket): Cleaner
    {
        $layout = $this->store()->layout($bucket);

        return new Cleaner(
            $layout,
            $this->store()->permissions,
            $this->clock(),
            DirectoryFsync::isPromised($this->config()->bucket($bucket), $layout),
        );
    }

    /** The file that the flushes of this machine write, also for a bucket in Redis. */
    public function historyOf(string $bucket): HistoryFile
    {
        $store = $this->store();

        return $this->stores()->isOnRedis($bucket)
            ? HistoryFile::ofRedis($store->root, $bucket, $store->permissions)
            : HistoryFile::of($store->layout($bucket), $store->permissions);
    }

    public function restarts(): RestartFile
    {
        return new RestartFile($this->store()->root, $this->store()->permissions);
    }

    /** @return ?list<string> null if there is no receiver of alerts */
    public function alertCommand(): ?array
    {
        return $this->alertCommand === null ? null : ($this->alertCommand)();
    }

    public function mayFork(): bool
    {
        return $this->backends->mayFork();
    }

    public function disconnect(): void
    {
        $this->backends->close();
    }

    /** Returns null when heartbeats are off. */
    public function nodes(): ?Nodes
    {
        $on = $this->config()->heartbeats();

        return $on === false ? null : $this->backends->nodes($on === true ? null : $on);
    }

    /** Returns false when the application cannot tell, for example because its cache is down. */
    public function isInMaintenance(): bool
    {
        try {
            return $this->isInMaintenance !== null && ($this->isInMaintenance)();
        } catch (Throwable) {
            return false;
        }
    }

    public function notifier(): Notifier
    {
        return $this->notifier;
    }

    public function logger(): LoggerInterface
    {
        return $this->notifier->logger();
    }

    /** Returns the same services for a buffer in another directory, such as that of a dead machine. */
    public function at(string $root): self
    {
        return new self(
            fn (): AppendConfig => $this->settings()->at($root),
            $this->backends->withoutHeartbeats(),
            $this->notifier->onlyLogger(),
            $this->clock,
            program: $this->program,
            foreignRoot: $root,
        );
    }

    /**
     * Rewrites the commands in a message, so that they act on this buffer also when it is not the application's own.
     */
    public function advice(string $message): string
    {
        if ($this->foreignRoot === null) {
            return $message;
        }

        $variables = 'SPOOL_PATH='.Path::quoted($this->foreignRoot);
        $program = $this->program === null ? "{$variables} headroom" : ($this->program)($variables);

        return str_replace('`spool:', "`{$program} spool:", $message);
    }

    /** Returns the same services with all buckets in Redis. */
    public function onRedis(): self
    {
        return new self(
            fn (): AppendConfig => $this->settings()->onRedis(),
            $this->backends->withoutHeartbeats(),
            $this->notifier,
            $this->clock,
            faultPoint: $this->faultPoint,
        );
    }

    /**
     * Whether no event was ever written to it. A command must then create no directories: a scheduler that runs as
     * another user than the requests would lock the requests out.
     *
     * @param ?string $bucket null asks for the whole buffer
     */
    public function isUntouched(?string $bucket = null): bool
    {
        try {
            return $bucket === null ? $this->store()->isUntouched() : $this->stores()->isUntouched($bucket);
        } catch (HeadroomException) {
            // The caller continues, meets the same failure and reports it.
            return false;
        }
    }
}
