<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use Closure;
use DateInterval;
use DateTimeInterface;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Bucket;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Buffer;
use Headroom\Spool\Delivery\CallbackRefused;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\InvalidBucket;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\UnableToFlush;
use Headroom\Spool\Worker\FailureLog;
use Headroom\Support\InvalidConfig;
use Throwable;

/**
 * The buffer for applications that flush it themselves, with a callback and on their own schedule. Events arrive at
 * least once: a callback that dies before it returns gets the same events again.
 */
final readonly class CallbackBuffer
{
    private FailureLog $log;

    /**
     * @internal
     *
     * @param ?Closure(): list<string> $known the buckets that flush() without a name visits; null means all
     */
    public function __construct(private SpoolServices $spool, private ?Closure $known = null)
    {
        $this->log = new FailureLog($spool);
    }

    /**
     * Does the same as Buffer::buffer().
     *
     * @param array<array-key, mixed> $event a row by column name, or ['payload' => row]
     *
     * @throws InvalidEvent
     * @throws UnableToAppend
     */
    public function buffer(array $event, ?string $bucket = null): void
    {
        $this->spool->buffer()->allow($bucket ?? Buffer::DEFAULT_BUCKET)->buffer($event, $bucket);
    }

    /** @throws InvalidBucket */
    public function bucket(string $name): Bucket
    {
        return $this->spool->buffer()->allow($name)->bucket($name);
    }

    /**
     * Hands the waiting events to the callback, a batch at a time, and moves the cursor past each batch that the
     * callback accepts. The type of the callback's first parameter selects its input: `string` is the path of a file
     * with one serialized ['payload' => row] per line, `iterable` the rows, Headroom\Core\Batch the records. The second
     * argument is the bucket. The third is an id of the batch, which stays the same when the batch is handed over
     * again.
     *
     * @param callable $callback returns true when it has accepted the events, false to get them again
     * @param ?string $bucket a bucket without a sink, declared or not; null means all of these
     * @return bool false when events are left: the callback returned false, another process flushes, the bucket is
     *     paused, or its rate limit holds the events back
     *
     * @throws Throwable the callback's exception, after every bucket had its turn
     * @throws InvalidCallback
     * @throws InvalidBucket when the bucket has a sink of its own
     * @throws UnableToFlush
     */
    public function flush(callable $callback, ?string $bucket = null): bool
    {
        $checked = Callback::of($callback);
        $isDone = true;
        $failure = null;

        foreach ($bucket === null ? $this->bucketsWithoutSink() : [Bucket::validName($bucket)] as $name) {
            try {
                $isDone = $this->flushOne($checked, $name) && $isDone;
            } catch (Throwable $e) {
                $failure ??= $e;
            }
        }

        if ($bucket === null && $failure === null) {
            // While Redis is down, the undeclared buckets with events in it are unknown. This call throws then, so that
            // flush() does not return true.
            $this->spool->stores()->of('')->buckets();
        }

        return $failure === null ? $isDone : throw $failure;
    }

    /**
     * Removes delivered segments. A bucket that is being flushed or is paused is skipped; a later call cleans it.
     *
     * @param int|DateInterval|DateTimeInterface|null $olderThan seconds or an interval since delivery, or a moment;
     *     segments delivered before it are removed; null means spool.retention
     * @param ?string $bucket null means all
     * @return int segments removed
     *
     * @throws HeadroomException
     */
    public function clean(int|DateInterval|DateTimeInterface|null $olderThan = null, ?string $bucket = null): int
    {
        $seconds = $olderThan === null
            ? $this->spool->config()->retention()
            : RetentionPeriod::seconds($olderThan, $this->spool->clock());
        $removed = 0;

        // Events that a flush moved from this disk to Redis leave their segments on this disk, so its buckets are
        // cleaned.
        $stored = $this->spool->store()->buckets();

        foreach ($bucket === null ? $stored : array_intersect($stored, [Bucket::validName($bucket)]) as $name) {
            $removed += $this->spool->stores()->isPaused($name)
                ? 0
                : $this->spool->cleaner($name)->clean($seconds) ?? 0;
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

        // A flush would create the bucket's directories as this user, and requests of another user could not write
        // there.
        if ($this->spool->isUntouched($name)) {
            return true;
        }

        $sinks = $this->spool->sinks()->with($bucket, new CallbackSink($callback, $this->spool->store()->root));
        $flusher = $this->spool->flusher($sinks, $config->with($bucket));
        $report = $this->spool->flush($name, new FlushOptions(now: true), $flusher);
        $this->log->note($report);

        if ($report->failure !== null && ! $report->failure instanceof CallbackRefused) {
            throw $report->failure;
        }

        return $report->failure === null && ! $report->busy && ! $report->paused && ! $report->hasMore;
    }

    /** @return list<string> */
    private function bucketsWithoutSink(): array
    {
        $config = $this->spool->config();
        $known = $this->known === null
            ? array_unique([...$config->names(), ...$this->spool->stores()->buckets()])
            : ($this->known)();
        sort($known);

        return array_values(array_filter($known, static function (string $name) use ($config): bool {
            try {
                return $config->bucket($name)?->hasNoSink() ?? true;
            } catch (InvalidConfig) {
                return false; // spool:flush and spool:health report it
            }
        }));
    }
}
