<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

use Closure;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Exceptions\ConfigMismatch;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\Maintenance\RetirementOutcome;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\Pauses;
use Headroom\Spool\Store\Store;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\InvalidConfig;
use Headroom\Support\Path;

/**
 * Each bucket's store, as its settings name it. Redis is not asked about a bucket that is on disk.
 *
 * @internal
 */
final class StoreRegistry implements Store
{
    private ?RedisStore $redis = null;

    /** @var list<string> in Redis though no setting says so: RedisBuffer writes there whatever the default is */
    private array $undeclared = [];

    /** @param ?Closure(FileStore): RedisStore $connect */
    public function __construct(
        public readonly FileStore $disk,
        private readonly SpoolConfig $config,
        private readonly ?Closure $connect = null,
    ) {}

    private function marks(): RedisBucketRegistry
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
        return $this->isThere($bucket) ? $this->connected($bucket) : null;
    }

    /**
     * Where that is declared wrongly it is not: whoever flushes or examines the bucket says so, and the others go on.
     */
    public function isOnRedis(string $bucket): bool
    {
        try {
            return $this->isThere($bucket);
        } catch (InvalidConfig) {
            return false;
        }
    }

    /** Of any bucket. Redis is not asked. */
    public function usesRedis(): bool
    {
        return array_filter(['', ...$this->config->names(), ...$this->marks()->names()], $this->isOnRedis(...)) !== [];
    }

    /**
     * @return list<string> buckets that are on disk by now and that RedisBuffer has left events of in Redis:
     *     nothing delivers these
     *
     * @throws HeadroomException
     */
    public function leftInRedis(): array
    {
        $moved = array_filter($this->marks()->names(), fn (string $name): bool => ! $this->isOnRedis($name));

        return array_values(array_filter($moved, fn (string $name): bool => $this->connected($name)->has($name)));
    }

    /**
     * @param string $node of a machine that is gone
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
     * Removes a bucket in which nothing waits, on this disk and in Redis.
     *
     * @throws UnableToFlush
     */
    public function retire(string $bucket): RetirementOutcome
    {
        $outcome = $this->disk->retire($bucket);
        $redis = $outcome === RetirementOutcome::Retired ? $this->redis($bucket) : null;

        if ($redis !== null && ($outcome = $redis->retire($bucket)) === RetirementOutcome::Retired) {
            $this->marks()->remove($bucket);
        }

        return $outcome;
    }

    /** @throws InvalidConfig */
    private function isThere(string $bucket): bool
    {
        return $this->config->isOnRedis($bucket)
            || in_array($bucket, $this->undeclared, true)
            || ($bucket !== '' && $this->config->leavesStoreOpen($bucket) && $this->marks()->has($bucket));
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
            // An undeclared bucket goes where the default is.
            $there = $this->usesRedis() ? $this->connected('')->buckets() : [];
            $this->undeclared = array_values(array_diff($there, $names, $this->config->names()));
            $names = [...$names, ...$there];
        } catch (HeadroomException) {
            // Those that are declared are known all the same, and whoever asks for one is told.
        }

        $names = [...$names, ...array_filter($this->marks()->names(), $this->isOnRedis(...))];
        $names = array_values(array_unique($names));
        sort($names);

        return $names;
    }

    public function isPaused(string $bucket): bool
    {
        return $this->of($bucket)->isPaused($bucket);
    }

    /** A flush has taken it up and was not able to finish. In doubt no. */
    public function isBegun(string $bucket): bool
    {
        try {
            return $this->of($bucket)->isBegun($bucket);
        } catch (HeadroomException) {
            return false;
        }
    }

    public function isDrained(string $bucket): bool
    {
        try {
            return $this->of($bucket)->isDrained($bucket);
        } catch (HeadroomException) {
            // Whoever goes on meets the same obstacle, and tells.
            return false;
        }
    }

    /** Nobody has written to it yet. */
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

    /** @return ?int 0 when a process that can not be named is flushing it at this moment; null when none is */
    public function flushing(string $bucket): ?int
    {
        return $this->of($bucket)->flushing($bucket);
    }
}
