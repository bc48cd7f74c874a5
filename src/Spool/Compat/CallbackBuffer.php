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
use Headroom\Spool\Delivery\Flusher;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\InvalidBucket;
use Headroom\Spool\InvalidCallback;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\Services\FlushAndClean;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\UnableToFlush;
use Headroom\Spool\Worker\FailureLog;
use Headroom\Support\InvalidConfig;
use Throwable;

/**
 * The buffer for applications that flush it themselves, with a callback, on a schedule of their own. What is delivered so
 * arrives at least once: a callback that died in mid-work is handed the very same events again.
 */
final readonly class CallbackBuffer
{
    private FailureLog $log;

    /**
     * @internal
     *
     * @param ?Closure(): list<string> $known the buckets that flush() without a name goes through; null is all
     */
    public function __construct(private SpoolServices $spool, private ?Closure $known = null)
    {
        $this->log = new FailureLog($spool);
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

        foreach ($bucket === null ? $this->withoutSink() : [Bucket::validName($bucket)] as $name) {
            try {
                $isDone = $this->flushOne($checked, $name) && $isDone;
            } catch (Throwable $e) {
                $failure ??= $e;
            }
        }

        if ($bucket === null && $failure === null) {
            // While Redis is down nobody knows which undeclared ones have something in it.
            $this->spool->stores()->of('')->buckets();
        }

        return $failure === null ? $isDone : throw $failure;
    }

    /**
     * Removes what was delivered. A bucket that is being flushed or is paused is left for the next time.
     *
     * @param int|DateInterval|DateTimeInterface|null $olderThan seconds or a span since it was delivered, or a moment before which; null is spool.retention
     * @param ?string $bucket null is all
     * @return int segments removed
     *
     * @throws HeadroomException
     */
    public function clean(int|DateInterval|DateTimeInterface|null $olderThan = null, ?string $bucket = null): int
    {
        $seconds = $olderThan === null ? $this->spool->config()->retention() : RetentionPeriod::seconds($olderThan, $this->spool->clock());
        $removed = 0;

        // What was brought from here into Redis leaves its segments as well.
        $there = $this->spool->store()->buckets();

        foreach ($bucket === null ? $there : array_intersect($there, [Bucket::validName($bucket)]) as $name) {
            $removed += $this->spool->stores()->isPaused($name) ? 0 : $this->spool->cleaner($name)->clean($seconds) ?? 0;
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
        if ($this->spool->isUntouched($name)) {
            return true;
        }

        $sinks = $this->spool->sinks()->with($bucket, new CallbackSink($callback, $this->spool->store()->root));
        $report = (new FlushAndClean($this->spool))->by(new Flusher($this->spool->stores(), $sinks, $config->with($bucket), $this->spool->clock()), $name, new FlushOptions(now: true));
        $this->log->note($report);

        if ($report->failure !== null && ! $report->failure instanceof CallbackRefused) {
            throw $report->failure;
        }

        return $report->failure === null && ! $report->busy && ! $report->paused && ! $report->more;
    }

    /** @return list<string> */
    private function withoutSink(): array
    {
        $config = $this->spool->config();
        $known = $this->known === null ? array_unique([...$config->names(), ...$this->spool->stores()->buckets()]) : ($this->known)();
        sort($known);

        return array_values(array_filter($known, static function (string $name) use ($config): bool {
            try {
                return $config->bucket($name)?->hasNoSink() ?? true;
            } catch (InvalidConfig) {
                return false; // spool:flush and spool:health tell
            }
        }));
    }
}
