<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use Closure;
use DateInterval;
use DateTimeInterface;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Bucket;
use Headroom\Spool\Buffer;
use Headroom\Spool\InvalidBucket;
use Headroom\Spool\InvalidCallback;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\RedisStore\RedisBucketRegistry;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\UnableToAppend;
use Throwable;

/**
 * The same as CallbackBuffer for buckets that wait in Redis, whatever config/spool.php says of `store`: any machine
 * buffers, and one at a time flushes.
 */
final readonly class RedisBuffer
{
    private const NAP_MICROS = 1_000_000;

    private SpoolServices $spool;

    private CallbackBuffer $callbacks;

    /**
     * @internal
     *
     * @param ?Closure(string): ?Buffer $fake what a test has put in the place of a bucket
     */
    public function __construct(private SpoolServices $configured, private ?Closure $fake = null)
    {
        $this->spool = $configured->onRedis();
        $this->callbacks = new CallbackBuffer($this->spool, $this->inRedis(...));
    }

    /**
     * As Buffer::buffer() does.
     *
     * @param array<array-key, mixed> $event a row by column name, or ['payload' => row]
     *
     * @throws InvalidEvent
     * @throws InvalidBucket
     * @throws UnableToAppend
     */
    public function buffer(array $event, ?string $bucket = null): void
    {
        $this->of($bucket ?? Buffer::DEFAULT_BUCKET)->buffer($event, $bucket);
    }

    /** @throws InvalidBucket */
    public function bucket(string $name): Bucket
    {
        return $this->of($name)->bucket($name);
    }

    /**
     * As CallbackBuffer::flush() does.
     *
     * @param callable $callback returns true when it has taken them, false when they are to come again
     * @param ?string $bucket one without a sink, declared or not; null is all of these that are in Redis
     * @return bool false when something is left
     *
     * @throws Throwable
     */
    public function flush(callable $callback, ?string $bucket = null): bool
    {
        // The callback's own has the words for one that has a sink.
        if ($bucket !== null && $this->configured->config()->bucket(Bucket::validName($bucket))?->hasNoSink() !== false) {
            $this->mark($this->allowed($bucket), false);
        }

        return $this->callbacks->flush($callback, $bucket);
    }

    /**
     * Flushes about once a second until a signal, `spool:restart` or the time ends it: a worker of the application's own.
     * What fails is in the log, and tried again.
     *
     * @param callable $callback as of flush()
     * @param ?int<1, max> $seconds null is for ever
     *
     * @throws InvalidCallback
     * @throws InvalidBucket
     */
    public function listenRedis(callable $callback, ?string $bucket = null, ?int $seconds = null): void
    {
        $listening = StopCondition::of($this->configured, $seconds);

        try {
            while (! $listening->isOver()) {
                try {
                    $this->flush($callback, $bucket);
                } catch (InvalidCallback|InvalidBucket $e) {
                    throw $e;
                } catch (Throwable) {
                    // flush() has logged it, once per incident.
                }

                $listening->rest(self::NAP_MICROS);
            }
        } finally {
            $listening->end();
        }
    }

    /**
     * In Redis what was delivered is removed at once. On this machine's disk lies what Redis could not take and was
     * brought there since.
     *
     * @param int|DateInterval|DateTimeInterface|null $olderThan as of CallbackBuffer::clean()
     * @return int segments removed
     *
     * @throws HeadroomException
     */
    public function clean(int|DateInterval|DateTimeInterface|null $olderThan = null, ?string $bucket = null): int
    {
        return $this->callbacks->clean($olderThan, $bucket);
    }

    /** @throws InvalidBucket */
    private function of(string $bucket): Buffer|CallbackBuffer
    {
        $allowed = $this->allowed($bucket);
        $fake = $this->fake === null ? null : ($this->fake)($allowed);

        if ($fake === null) {
            $this->mark($allowed, true);
        }

        return $fake?->allow($allowed) ?? $this->callbacks;
    }

    /**
     * What nothing would ever deliver must not be taken.
     *
     * @return string the bucket
     *
     * @throws InvalidBucket
     */
    private function allowed(string $bucket): string
    {
        $config = $this->configured->config();
        $declared = $config->bucket(Bucket::validName($bucket));

        return $declared === null || $config->isOnRedis($bucket) || $config->leavesStoreOpen($bucket)
            ? $bucket
            : throw InvalidBucket::isOnDisk($bucket, $declared->hasNoSink() ? null : $declared->sink);
    }

    /** So that commands on this machine ask Redis for it, too. */
    private function mark(string $bucket, bool $isAppend): void
    {
        if ($this->configured->config()->isOnRedis($bucket)) {
            return; // the settings say so, and a request asks the disk for nothing
        }

        $marks = new RedisBucketRegistry($this->configured->store());

        if (! $marks->has($bucket) && ($isAppend || ! $this->spool->isUntouched($bucket))) {
            $marks->set($bucket, $isAppend);
        }
    }

    /** @return list<string> */
    private function inRedis(): array
    {
        $config = $this->configured->config();

        try {
            $there = $this->spool->stores()->of('')->buckets();
        } catch (HeadroomException) {
            // flush() asks again, and tells.
            $there = [];
        }

        $there = array_filter([...$there, ...(new RedisBucketRegistry($this->configured->store()))->names()], $config->leavesStoreOpen(...));
        array_map(fn (string $name) => $this->mark($name, false), $there);
        $names = array_unique([...array_filter($config->names(), $this->configured->stores()->isOnRedis(...)), ...$there]);
        sort($names);

        return $names;
    }
}
