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
use Headroom\Spool\Append\FailureNotifier;
use Headroom\Spool\Append\OverflowHandlers;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Buffer;
use Headroom\Spool\Delivery\Flusher;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Delivery\LedgerReader;
use Headroom\Spool\Delivery\SinkRegistry;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\Fsync\DirectoryFsync;
use Headroom\Spool\FileStore\Maintenance\Cleaner;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\RestartFile;
use Headroom\Spool\Monitoring\Nodes;
use Headroom\Spool\Monitoring\StatusReader;
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
 * Puts the buffer's parts together, each when it is first asked for: a console that lists its commands must not read a
 * configuration that may be wrong, and a request that only buffers makes no sink.
 *
 * @internal
 */
final class SpoolServices
{
    private ?SpoolConfig $config = null;

    private ?FileStore $store = null;

    private ?StoreRegistry $stores = null;

    private ?Buffer $buffer = null;

    private ?WriterFactory $writePath = null;

    /**
     * @param Closure(): AppendConfig $read
     * @param ?Clock $clock null is the system's
     * @param ?Closure(): Buffer $shared the one that the rest of this process writes to
     * @param ?Closure(): bool $resting the application asks that nothing be done in the background for now
     * @param ?Closure(string): string $program how a command line begins that sets these variables of the environment
     * @param ?string $elsewhere the root of a buffer that is not this application's own
     */
    public function __construct(
        private readonly Closure $read,
        private readonly Backends $connections,
        private readonly FailureNotifier $listeners = new FailureNotifier,
        private ?Clock $clock = null,
        private readonly ?Closure $shared = null,
        private readonly ?Closure $resting = null,
        private readonly ?FaultPoint $checkpoint = null,
        private readonly ?Closure $program = null,
        private readonly ?string $elsewhere = null,
    ) {}

    /**
     * All of it checked, as commands need it.
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

    /** Unchecked, as a request reads it. */
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

    /** Those of the buckets that are not on this disk, too. */
    public function stores(): StoreRegistry
    {
        return $this->stores ??= new StoreRegistry(
            $this->store(),
            $this->config(),
            $this->connections->hasRedis() ? $this->redisStore(...) : null,
        );
    }

    private function redisStore(FileStore $disk): RedisStore
    {
        $config = $this->config();

        return new RedisStore(
            $this->connections->redis($config->redis()->connection),
            $disk,
            $config,
            $this->clock(),
            $this->checkpoint,
            $this->deliveredFromDisk(...),
        );
    }

    public function buffer(): Buffer
    {
        if ($this->shared !== null) {
            // No longer than for this call: a test may put a fake in its place.
            return ($this->shared)();
        }

        return $this->buffer ??= Buffer::onDisk(
            $this->config()->settings(),
            $this->clock,
            $this->checkpoint,
            fn (): OverflowHandlers => $this->writePath()->detours(),
            fn (string $bucket): Writer => $this->writePath()->redisWriter($bucket),
        );
    }

    public function writePath(): WriterFactory
    {
        return $this->writePath ??= new WriterFactory(
            $this->settings(...),
            $this->connections,
            $this->listeners,
            $this->clock(),
            $this->checkpoint,
        );
    }

    public function view(string $bucket): BucketTools
    {
        return new BucketTools($this, $bucket);
    }

    /**
     * Of a bucket that is in Redis now.
     *
     * @throws UnableToFlush it can not be known
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
        return $this->connections->sinks();
    }

    public function flusher(): Flusher
    {
        return new Flusher($this->stores(), $this->sinks(), $this->config(), $this->clock());
    }

    /**
     * A flush and the cleaning behind it, so that no second thing has to be scheduled.
     *
     * @param ?Flusher $flusher to another sink than the configured one
     */
    public function flush(string $bucket, FlushOptions $options, ?Flusher $flusher = null): FlushReport
    {
        return PhpRestrictions::within(fn (): FlushReport => $this->flushAndClean(
            $bucket,
            $options,
            $flusher ?? $this->flusher(),
        ));
    }

    private function flushAndClean(string $bucket, FlushOptions $options, Flusher $flusher): FlushReport
    {
        $report = $flusher->flush($bucket, $options);

        if (! $report->busy && ! $report->paused && $report->waiting === null && $report->isDelivered()) {
            try {
                $cleaner = $this->cleaner($bucket);
                $ttl = $this->config()->retention();

                if ($cleaner->isDue($ttl)) {
                    $cleaner->clean($ttl);
                }
            } catch (HeadroomException $e) {
                $report->failed($report->failure ?? $e);
                $flusher->noteLeft($report);
            }
        }

        return $report;
    }

    public function status(): SpoolStatus
    {
        return $this->statusReader()->read();
    }

    /** Without what is in Redis. */
    public function statusOfDisk(): SpoolStatus
    {
        return $this->statusReader()->ofDisk();
    }

    private function statusReader(): StatusReader
    {
        return new StatusReader($this->stores(), $this->sinks(), $this->config(), $this->clock());
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

    public function restarts(): RestartFile
    {
        return new RestartFile($this->store()->root, $this->store()->permissions);
    }

    public function mayFork(): bool
    {
        return $this->connections->mayFork();
    }

    public function disconnect(): void
    {
        $this->connections->close();
    }

    /** Null when there are to be no heartbeats. */
    public function nodes(): ?Nodes
    {
        $on = $this->config()->heartbeats();

        return $on === false ? null : $this->connections->nodes($on === true ? null : $on);
    }

    /** Never an obstacle: what is asked may be a cache that is down. */
    public function isResting(): bool
    {
        try {
            return $this->resting !== null && ($this->resting)();
        } catch (Throwable) {
            return false;
        }
    }

    public function logger(): LoggerInterface
    {
        return $this->listeners->logger();
    }

    /** The same configuration and the same sinks for a buffer that lies elsewhere: a dead machine's. */
    public function at(string $root): self
    {
        return new self(
            fn (): AppendConfig => $this->settings()->at($root),
            $this->connections->lent(),
            $this->listeners->onlyLogger(),
            $this->clock,
            program: $this->program,
            elsewhere: $root,
        );
    }

    /** A message whose commands act on this buffer, also where it is not the application's own. */
    public function advice(string $message): string
    {
        if ($this->elsewhere === null) {
            return $message;
        }

        $variables = 'SPOOL_PATH='.Path::quoted($this->elsewhere);
        $program = $this->program === null ? "{$variables} headroom" : ($this->program)($variables);

        return str_replace('`spool:', "`{$program} spool:", $message);
    }

    /** The same with all buckets in Redis. */
    public function onRedis(): self
    {
        return new self(
            fn (): AppendConfig => $this->settings()->onRedis(),
            $this->connections->lent(),
            $this->listeners,
            $this->clock,
            checkpoint: $this->checkpoint,
        );
    }

    /**
     * Nobody has written to it yet. A command that finds so must leave it at that: a scheduler that runs as another
     * user than the requests would otherwise make the directories, and shut the requests out.
     *
     * @param ?string $bucket null asks for the whole buffer
     */
    public function isUntouched(?string $bucket = null): bool
    {
        try {
            return $bucket === null ? $this->store()->isUntouched() : $this->stores()->isUntouched($bucket);
        } catch (HeadroomException) {
            // Whoever goes on meets the same obstacle and has the words for it.
            return false;
        }
    }
}
