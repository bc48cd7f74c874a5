<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Closure;
use DateInterval;
use DateTimeInterface;
use Headroom\Core\HeadroomException;
use Headroom\Core\InvalidConfig;
use Headroom\Spool\Callback\Callback;
use Headroom\Spool\Callback\CallbackRefused;
use Headroom\Spool\Callback\CallbackSink;
use Headroom\Spool\Callback\Keeping;
use Headroom\Spool\Flush\Flusher;
use Headroom\Spool\Flush\FlushReport;
use Headroom\Spool\Flush\Limits;
use Throwable;

/**
 * One store's buffer for applications that flush it themselves, with a callback, on a schedule of their own. What is
 * delivered so arrives at least once: a callback that died in mid-work is handed the very same events again.
 */
final readonly class CallbackBuffer
{
    /**
     * @internal
     *
     * @param Closure(): Store $store
     * @param Closure(string, int): ?int $clean a bucket's segments that were delivered so many seconds ago; null when it is being flushed
     */
    public function __construct(private Runtime $spool, private Closure $store, private Closure $clean) {}

    /** @internal */
    public static function onDisk(Runtime $spool): self
    {
        return new self($spool, $spool->store(...), static fn (string $bucket, int $olderThan): ?int => $spool->cleaner($bucket)->clean($olderThan));
    }

    /** @internal */
    public static function onRedis(Runtime $spool): self
    {
        // What was brought to Redis leaves its segments here.
        return new self($spool, $spool->stores(...), static fn (string $bucket, int $olderThan): ?int => $spool->isUntouched() || ! in_array($bucket, $spool->store()->buckets(), true) ? 0 : $spool->cleaner($bucket)->clean($olderThan));
    }

    /**
     * As Buffer::buffer() does.
     *
     * @param array<array-key, mixed> $event a row by column name, or ['payload' => row]
     *
     * @throws InvalidEvent
     * @throws UnableToAppend
     */
    public function buffer(array $event, ?string $bucket = null): void
    {
        $this->spool->buffer()->buffer($event, $bucket);
    }

    /** @throws InvalidBucket */
    public function bucket(string $name): Bucket
    {
        return $this->spool->buffer()->bucket($name);
    }

    /**
     * Hands what waits to the callback, a batch at a time, and moves on behind each that it takes. Its first parameter
     * says how: `string`, the path of a file with one serialized ['payload' => row] per line; `iterable`, the rows;
     * Headroom\Core\Batch, the records. Then come the bucket and an id of the range, the same whenever that comes again.
     *
     * @param callable $callback returns true when it has taken them, false when they are to come again
     * @param ?string $bucket one without a sink, declared or not; null is all of these
     * @return bool false when something is left: the callback said so, another process is flushing, the bucket is paused, or its rate holds it back
     *
     * @throws Throwable what the callback threw, when every bucket had its turn
     * @throws InvalidCallback
     * @throws InvalidBucket it has a sink of its own
     * @throws UnableToFlush
     */
    public function flush(callable $callback, ?string $bucket = null): bool
    {
        $checked = Callback::of($callback);
        $isDone = true;
        $failure = null;

        foreach ($bucket === null ? $this->withoutSink() : [SpoolConfig::bucketName($bucket)] as $name) {
            try {
                $isDone = $this->flushOne($checked, $name) && $isDone;
            } catch (Throwable $e) {
                $failure ??= $e;
            }
        }

        return $failure === null ? $isDone : throw $failure;
    }

    /**
     * Removes what was delivered. A bucket that is being flushed or is paused is left for the next time.
     *
     * @param int|DateInterval|DateTimeInterface|null $olderThan seconds or a span since it was delivered, or a moment before which; null is spool.completed_ttl
     * @param ?string $bucket null is all
     * @return int segments removed
     *
     * @throws HeadroomException
     */
    public function clean(int|DateInterval|DateTimeInterface|null $olderThan = null, ?string $bucket = null): int
    {
        $seconds = $olderThan === null ? $this->spool->config()->completedTtl() : Keeping::seconds($olderThan, $this->spool->clock());
        $store = ($this->store)();
        $removed = 0;

        foreach ($this->written($bucket) as $name) {
            $removed += $store->isPaused($name) ? 0 : ($this->clean)($name, $seconds) ?? 0;
        }

        return $removed;
    }

    /** @throws Throwable */
    private function flushOne(Callback $callback, string $name): bool
    {
        $config = $this->spool->config();
        $bucket = $config->bucket($name) ?? BucketConfig::undeclared($name);

        if (! $bucket->hasNoSink()) {
            throw InvalidBucket::hasSink($name, $bucket->sink);
        }

        // A look must not make directories that would keep requests of another user out.
        if ($this->written($name) === []) {
            return true;
        }

        $sinks = $this->spool->sinks()->with($bucket, new CallbackSink($callback));
        $report = (new Flusher(($this->store)(), $sinks, $config->with($bucket), $this->spool->clock()))->flush($name, new Limits(now: true));
        $this->tidy($report, $config->completedTtl());
        (new FailureLog($this->spool))->note($report);

        if ($report->failure !== null && ! $report->failure instanceof CallbackRefused) {
            throw $report->failure;
        }

        return $report->failure === null && ! $report->busy && ! $report->paused && ! $report->more;
    }

    /** As spool:flush does for buckets with a sink. */
    private function tidy(FlushReport $report, int $ttl): void
    {
        if ($report->busy || $report->paused || ! $report->isDelivered()) {
            return;
        }

        try {
            ($this->clean)($report->bucket, $ttl);
        } catch (HeadroomException $e) {
            $report->failed($report->failure ?? $e);
        }
    }

    /** @return list<string> */
    private function withoutSink(): array
    {
        $config = $this->spool->config();

        return array_values(array_filter($this->written(null), static function (string $name) use ($config): bool {
            try {
                return $config->bucket($name)?->hasNoSink() ?? true;
            } catch (InvalidConfig) {
                return false; // spool:flush and spool:health tell
            }
        }));
    }

    /** @return list<string> that one if it was ever written to; all that were when none is named */
    private function written(?string $bucket): array
    {
        $there = ($this->store)()->buckets();

        return $bucket === null ? $there : array_values(array_intersect($there, [SpoolConfig::bucketName($bucket)]));
    }
}
