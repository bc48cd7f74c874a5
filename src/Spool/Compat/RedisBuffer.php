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
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\RedisStore\RedisBucketRegistry;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\UnableToAppend;
use Throwable;

/**
 * The CallbackBuffer for buckets whose events wait in Redis, regardless of `store` in config/spool.php. Any machine
 * appends to such a bucket; one machine at a time flushes it.
 */
final readonly class RedisBuffer
{
    private const SLEEP_MICROS = 1_000_000;

    private SpoolServices $spool;

    private CallbackBuffer $callbacks;

    /**
     * @internal
     *
     * @param ?Closure(string): ?Buffer $fake returns the fake with which a test has replaced a bucket
     */
    public function __construct(private SpoolServices $configured, private ?Closure $fake = null)
    {
        $this->spool = $configured->onRedis();
        $this->callbacks = new CallbackBuffer($this->spool, $this->bucketsInRedis(...));
    }

    /**
     * Does the same as Buffer::buffer().
     *
     * @param array<array-key, mixed> $event a row by column name, or ['payload' => row]
     *
     * @throws InvalidEvent
     * @throws InvalidBucket
     * @throws UnableToAppend
     */
    public function buffer(array $event, ?string $bucket = null): void
    {
        $this->bufferFor($bucket ?? Buffer::DEFAULT_BUCKET)->buffer($event, $bucket);
    }

    /** @throws InvalidBucket */
    public function bucket(string $name): Bucket
    {
        return $this->bufferFor($name)->bucket($name);
    }

    /**
     * Does the same as CallbackBuffer::flush().
     *
     * @param callable $callback returns true when it has accepted the events, false to get them again
     * @param ?string $bucket a bucket without a sink, declared or not; null means all of these that are in Redis
     * @return bool false when events are left
     *
     * @throws Throwable
     */
    public function flush(callable $callback, ?string $bucket = null): bool
    {
        // A bucket with a sink is left to CallbackBuffer::flush(), which throws the exception for it.
        if (
            $bucket !== null
            && $this->configured->config()->bucket(Bucket::validName($bucket))?->hasNoSink() !== false
        ) {
            $this->register($this->allowed($bucket), false);
        }

        return $this->callbacks->flush($callback, $bucket);
    }

    /**
     * Flushes about once a second, as a worker in the application's own process, until a signal, `spool:restart` or the
     * time limit ends it. A failure is logged, and the next flush tries again.
     *
     * @param callable $callback the same as for flush()
     * @param ?int<1, max> $seconds time limit; null means none
     *
     * @throws InvalidCallback
     * @throws InvalidBucket
     */
    public function listenRedis(callable $callback, ?string $bucket = null, ?int $seconds = null): void
    {
        $stop = StopCondition::of($this->configured, $seconds);

        try {
            while (! $stop->isMet()) {
                try {
                    $this->flush($callback, $bucket);
                } catch (InvalidCallback|InvalidBucket $e) {
                    throw $e;
                } catch (Throwable) {
                    // flush() has logged the failure, once per incident.
                }

                $stop->sleep(self::SLEEP_MICROS);
            }
        } finally {
            $stop->restoreHandlers();
        }
    }

    /**
     * Removes segments from the disk of this machine. Redis could not take their events at first, and a flush has moved
     * them to Redis since. The flush itself removes delivered events from Redis.
     *
     * @param int|DateInterval|DateTimeInterface|null $olderThan the same as for CallbackBuffer::clean()
     * @return int segments removed
     *
     * @throws HeadroomException
     */
    public function clean(int|DateInterval|DateTimeInterface|null $olderThan = null, ?string $bucket = null): int
    {
        return $this->callbacks->clean($olderThan, $bucket);
    }

    /** @throws InvalidBucket */
    private function bufferFor(string $bucket): Buffer|CallbackBuffer
    {
        $name = $this->allowed($bucket);
        $fake = $this->fake === null ? null : ($this->fake)($name);

        if ($fake === null) {
            $this->register($name, true);
        }

        return $fake?->allow($name) ?? $this->callbacks;
    }

    /**
     * Refuses a bucket whose events in Redis no flush would deliver.
     *
     * @return string the name of the bucket
     *
     * @throws InvalidBucket
     */
    private function allowed(string $bucket): string
    {
        $config = $this->configured->config();
        $declared = $config->bucket(Bucket::validName($bucket));

        return $declared === null || $config->isOnRedis($bucket) || $config->hasDefaultStore($bucket)
            ? $bucket
            : throw InvalidBucket::isOnDisk($bucket, $declared->hasNoSink() ? null : $declared->sink);
    }

    /** Notes the bucket on disk, so that commands on this machine look for it in Redis. */
    private function register(string $bucket, bool $isAppend): void
    {
        if ($this->configured->config()->isOnRedis($bucket)) {
            return; // the configuration says so already, and a request must not read the disk for it
        }

        $registry = new RedisBucketRegistry($this->configured->store());

        if (! $registry->has($bucket) && ($isAppend || ! $this->spool->isUntouched($bucket))) {
            $registry->set($bucket, $isAppend);
        }
    }

    /** @return list<string> */
    private function bucketsInRedis(): array
    {
        $config = $this->configured->config();

        try {
            $stored = $this->spool->stores()->of('')->buckets();
        } catch (HeadroomException) {
            // flush() asks Redis again and throws.
            $stored = [];
        }

        $stored = array_filter(
            [...$stored, ...(new RedisBucketRegistry($this->configured->store()))->names()],
            $config->hasDefaultStore(...),
        );
        array_map(fn (string $name) => $this->register($name, false), $stored);
        $names = array_unique([
            ...array_filter($config->names(), $this->configured->stores()->isOnRedis(...)), ...$stored,
        ]);
        sort($names);

        return $names;
    }
}
