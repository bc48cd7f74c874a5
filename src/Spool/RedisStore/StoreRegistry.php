<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

use Closure;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Exceptions\ConfigMismatch;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\Maintenance\RetirementOutcome;
use Headroom\Spool\History\HistoryFile;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\Pauses;
use Headroom\Spool\Store\Store;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\InvalidConfig;
use Headroom\Support\Path;

/**
 * Finds the store of each bucket by the configuration. Redis is not asked about a bucket that is on disk.
 *
 * @internal
 */
final class StoreRegistry implements Store
{
    private ?RedisStore $redis = null;

    /**
     * @var list<string> undeclared buckets that are in Redis; RedisBuffer writes there even if the default is the disk
     */
    private array $undeclared = [];

    /** @param ?Closure(FileStore): RedisStore $connect */
    public function __construct(
        public readonly FileStore $disk,
        private readonly SpoolConfig $config,
        private readonly ?Closure $connect = null,
    ) {}

    private function registry(): RedisBucketRegistry
    {
        return new RedisBucketRegistry($this->disk);
    }

    /** @throws UnableToFlush */
    public function of(string $bucket): FileStore|RedisStore
    {
        return $this->redis($bucket) ?? $this->disk;
    }

    /**
     * @return ?RedisStore null for a bucket that is on disk
     *
     * @throws UnableToFlush
     */
    public function redis(string $bucket): ?RedisStore
    {
        return $this->isInRedis($bucket) ? $this->connected($bucket) : null;
    }

    /**
     * False when the bucket's configuration is invalid: a flush or a check of that bucket reports it, and the other
     * buckets go on.
     */
    public function isOnRedis(string $bucket): bool
    {
        try {
            return $this->isInRedis($bucket);
        } catch (InvalidConfig) {
            return false;
        }
    }

    /** Whether any bucket is in Redis. Redis itself is not asked. */
    public function usesRedis(): bool
    {
        return array_filter(['', ...$this->config->names(), ...$this->registry()->names()], $this->isOnRedis(...))
            !== [];
    }

    /**
     * @return list<string> buckets that are now on disk although RedisBuffer has left some of their events in Redis; no
     *     flush delivers these events
     *
     * @throws HeadroomException
     */
    public function leftInRedis(): array
    {
        $moved = array_filter($this->registry()->names(), fn (string $name): bool => ! $this->isOnRedis($name));

        return array_values(array_filter($moved, fn (string $name): bool => $this->connected($name)->has($name)));
    }

    /**
     * @param string $node id of a removed machine
     *
     * @throws HeadroomException
     */
    public function forget(string $node): void
    {
        if ($this->usesRedis()) {
            $this->connected('')->forget($node);
        }
    }

    /**
     * Removes a bucket in which no event waits, on this disk and in Redis.
     *
     * @throws UnableToFlush
     */
    public function retire(string $bucket): RetirementOutcome
    {
        $outcome = $this->disk->retire($bucket);
        $redis = $outcome === RetirementOutcome::Retired ? $this->redis($bucket) : null;

        if ($redis !== null && ($outcome = $redis->retire($bucket)) === RetirementOutcome::Retired) {
            $this->registry()->remove($bucket);
        }

        if ($outcome === RetirementOutcome::Retired) {
            HistoryFile::of($this->disk->layout($bucket), $this->disk->permissions)->remove();
            HistoryFile::ofRedis($this->disk->root, $bucket, $this->disk->permissions)->remove();
        }

        return $outcome;
    }

    /** @throws InvalidConfig */
    private function isInRedis(string $bucket): bool
    {
        return $this->config->isOnRedis($bucket)
            || in_array($bucket, $this->undeclared, true)
            || ($bucket !== '' && $this->config->hasDefaultStore($bucket) && $this->registry()->has($bucket));
    }

    /** @throws UnableToFlush */
    private function connected(string $bucket): RedisStore
    {
        return $this->redis ??= ($this->connect ?? throw ConfigMismatch::redisMissing($bucket))($this->disk);
    }

    public function claim(string $bucket): ?ConsumerLease
    {
        return $this->of($bucket)->claim($bucket);
    }

    public function buckets(): array
    {
        $names = $this->disk->isUntouched() ? [] : $this->disk->buckets();

        try {
            // A bucket that is only in Redis stays there, even if the default store is the disk.
            $inRedis = $this->usesRedis() ? $this->connected('')->buckets() : [];
            $this->undeclared = array_values(array_diff($inRedis, $names, $this->config->names()));
            $names = [...$names, ...$inRedis];
        } catch (HeadroomException) {
            // Declared buckets are known without Redis, and a command that uses one of them reports the failure.
        }

        $names = [...$names, ...array_filter($this->registry()->names(), $this->isOnRedis(...))];
        $names = array_values(array_unique($names));
        sort($names);

        return $names;
    }

    public function isPaused(string $bucket): bool
    {
        return $this->of($bucket)->isPaused($bucket);
    }

    /** Whether a flush has begun with the bucket's events and did not finish. False when in doubt. */
    public function isUnfinished(string $bucket): bool
    {
        try {
            return $this->of($bucket)->isUnfinished($bucket);
        } catch (HeadroomException) {
            return false;
        }
    }

    public function isDrained(string $bucket): bool
    {
        try {
            return $this->of($bucket)->isDrained($bucket);
        } catch (HeadroomException) {
            // The flush that follows meets the same failure, and reports it.
            return false;
        }
    }

    /** Whether no process has written to the bucket yet. */
    public function isUntouched(string $bucket): bool
    {
        $isOffDisk = $this->disk->isUntouched() || Path::isAbsent($this->disk->layout($bucket)->directory);

        try {
            return $isOffDisk && ($this->redis($bucket)?->isUntouched($bucket) ?? true);
        } catch (HeadroomException) {
            return false;
        }
    }

    /** @throws UnableToFlush */
    public function pauses(string $bucket): Pauses
    {
        return $this->of($bucket)->pauses();
    }

    public function paused(): PausedBuckets
    {
        $names = array_filter($this->disk->pauses()->names(), fn (string $name): bool => ! $this->isOnRedis($name));
        $unknown = [];

        foreach (array_filter(
            array_unique([...$this->config->names(), ...$this->buckets()]),
            $this->isOnRedis(...),
        ) as $name) {
            try {
                $names = $this->pauses($name)->of($name) === null ? $names : [...$names, $name];
            } catch (HeadroomException $e) {
                $unknown[$name] = $e->getMessage();
            }
        }

        try {
            $this->usesRedis() ? $this->connected('')->buckets() : [];
        } catch (HeadroomException $e) {
            $unknown['others in Redis'] = $e->getMessage();
        }

        sort($names);

        return new PausedBuckets($names, $unknown);
    }

    /** @return ?int pid of the process that flushes the bucket now; 0 when the pid is unknown; null when none does */
    public function flushing(string $bucket): ?int
    {
        return $this->of($bucket)->flushing($bucket);
    }
}
