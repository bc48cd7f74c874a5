<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

use ArrayObject;
use Closure;
use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Core\HeadroomException;
use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\Bucket;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\Maintenance\RetirementOutcome;
use Headroom\Spool\FileStore\Segment\SegmentChain;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Spool\RedisStore\Fallback\DrainCheckpoints;
use Headroom\Spool\RedisStore\Fallback\DrainCursor;
use Headroom\Spool\RedisStore\Fallback\FallbackDrain;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\RedisMeta;
use Headroom\Spool\RedisStore\Stream\RedisSnapshot;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Store\ForkDetector;
use Headroom\Spool\Store\Store;
use Headroom\Support\HostName;
use Headroom\Support\Path;

/**
 * The buffer in Redis Streams, for an application on more than one machine: docs/redis.md.
 *
 * @internal
 */
final readonly class RedisStore implements Store
{
    /** @var ArrayObject<string, true> tokens of open leases of this process */
    private ArrayObject $open;

    /** @param ?Closure(string): ?Position $deliveredFromDisk see FallbackDrain */
    public function __construct(
        public Client $client,
        private FileStore $disk,
        private SpoolConfig $config,
        private Clock $clock,
        private ?FaultPoint $faultPoint = null,
        private ?Closure $deliveredFromDisk = null,
    ) {
        /** @var ArrayObject<string, true> $open */
        $open = new ArrayObject;
        $this->open = $open;
    }

    public function claim(string $bucket): ?RedisLease
    {
        $keys = new Keys(Bucket::validName($bucket));
        $checkpoints = $this->checkpoints($bucket);
        // Each machine drains its own disk, also while a process of another machine owns the bucket.
        $drain = new FallbackDrain(
            $this->client,
            $keys,
            $this->disk,
            $bucket,
            $this->clock,
            $this->faultPoint,
            $this->deliveredFromDisk,
            $this->config->redis()->wait,
            $this->config->redis()->waitMillis,
            $checkpoints->ofOwner(),
        );
        $obstacle = $drain->run();
        $token = Ownership::name();
        [$isOwner, $node] = $this->claimOwnership($keys, $token);

        if ($isOwner !== 1 || ! is_string($node)) {
            $this->saveFirst($checkpoints);

            return $obstacle === null ? null : throw $obstacle;
        }

        $this->register($bucket);
        $this->faultPoint?->reached('redis.claimed');
        $millis = $this->config->redis()->takeover * 1000;
        $owner = new Ownership($this->client, $keys, $bucket, $token, $millis, $this->open);

        return new RedisLease(
            new Source($node, $bucket),
            $owner,
            $this->disk,
            $checkpoints,
            $this->clock,
            $drain->losses,
            $obstacle,
            $this->faultPoint,
        );
    }

    /** @return array{mixed, mixed} 1 and the stream's node, or 0 and the name of the owner */
    private function claimOwnership(Keys $keys, string $token, bool $isAgain = false): array
    {
        $answer = $this->client->script(Scripts::CLAIM, $keys->all(), [
            $token, $this->config->redis()->takeover * 1000, bin2hex(random_bytes(16)),
        ]);
        [$isOwner, $found] = is_array($answer) ? [...array_values($answer), 0, ''] : [0, ''];

        // Code that a flush calls, such as a listener, may flush the same bucket. The lease of this process is not that
        // of a process that has ended.
        $isOpen = is_string($found) && isset($this->open[$found]);

        if ($isOwner === 1 || $isAgain || ! is_string($found) || $isOpen || ! Ownership::isGone($found)) {
            return [$isOwner, $found];
        }

        // Otherwise the ended process would own the bucket until the takeover time is over.
        $this->client->script(Scripts::RELEASE, $keys->all(), [$found]);

        return $this->claimOwnership($keys, $token, true);
    }

    /**
     * Saves a first checkpoint, so that this machine can report events that Redis lost even if it never owns the
     * bucket.
     */
    private function saveFirst(DrainCheckpoints $checkpoints): void
    {
        try {
            if ($checkpoints->all() === []) {
                $checkpoints->update($this->client, $this->disk, $this->clock);
            }
        } catch (HeadroomException) {
            // The owner reports the failure.
        }
    }

    /** @return ?Progress how far a machine's disk was drained into Redis; null when Redis does not know the disk */
    public function drainedTo(string $bucket, string $node): ?Progress
    {
        return DrainCursor::read($this->client, new Keys(Bucket::validName($bucket)), $node);
    }

    /** Stores how far a disk was drained, under the new id of its node. */
    public function beginAt(string $bucket, string $node, Progress $progress): void
    {
        $place = DrainCursor::encode($progress);
        $this->client->script(Scripts::DRAIN, (new Keys(Bucket::validName($bucket)))->all(), [
            bin2hex(random_bytes(16)), $node, $place, $place,
        ]);
    }

    /** Whether Redis has drained a diverged copy of this disk's log. */
    public function isDiskForked(string $bucket): bool
    {
        $layout = $this->disk->layout($bucket);
        $known = Path::isAbsent($layout->directory) ? null : $this->drainedTo($bucket, $this->disk->node());

        return $known !== null
            && ForkDetector::hasDiverged(
                $known,
                (new StateFile($layout->stateFile, $this->disk->permissions))->read()->flush,
                new SegmentChain($layout),
            );
    }

    public function checkpoints(string $bucket): DrainCheckpoints
    {
        return new DrainCheckpoints($this->disk->root, $this->disk->permissions, $bucket);
    }

    /**
     * Adds the bucket to the list of buckets. The list may be on another node of a cluster, and a failure there must
     * not stop the delivery.
     */
    private function register(string $bucket): void
    {
        try {
            $this->client->command(Keys::BUCKETS, ['SADD', $this->client->key(Keys::BUCKETS), $bucket]);
        } catch (RedisFailure) {
            return;
        }
    }

    public function isUntouched(string $bucket): bool
    {
        return $this->meta($bucket)->node === '' && $this->checkpoints($bucket)->all() === [];
    }

    public function buckets(): array
    {
        $names = $this->client->command(Keys::BUCKETS, ['SMEMBERS', $this->client->key(Keys::BUCKETS)]);
        $names = array_values(array_filter(
            is_array($names) ? $names : [],
            static fn (mixed $name): bool => is_string($name) && Bucket::isName($name),
        ));
        sort($names);

        return $names;
    }

    /**
     * Forgets how far the disk of a removed machine was drained.
     *
     * @return int<0, max> number of buckets for which Redis knew it
     *
     * @throws RedisFailure
     */
    public function forget(string $node): int
    {
        $known = 0;

        foreach ($this->buckets() as $bucket) {
            $known += $this->client->script(Scripts::FORGET_NODE, (new Keys($bucket))->all(), [$node]) === 1 ? 1 : 0;
        }

        return $known;
    }

    /** @throws RedisFailure */
    public function retire(string $bucket): RetirementOutcome
    {
        $answer = $this->client->script(Scripts::RETIRE, (new Keys(Bucket::validName($bucket)))->all());
        $outcome = RetirementOutcome::from(is_string($answer) ? $answer : RetirementOutcome::Busy->value);

        if ($outcome === RetirementOutcome::Retired) {
            $this->client->command(Keys::BUCKETS, ['SREM', $this->client->key(Keys::BUCKETS), $bucket]);
            $this->checkpoints($bucket)->remove();
        }

        return $outcome;
    }

    /** Whether events wait in the stream. */
    public function has(string $bucket): bool
    {
        $key = (new Keys(Bucket::validName($bucket)))->log;

        return $this->client->command($key, ['XLEN', $this->client->key($key)]) !== 0;
    }

    public function isPaused(string $bucket): bool
    {
        return $this->meta($bucket)->paused !== '';
    }

    public function meta(string $bucket): RedisMeta
    {
        $keys = new Keys(Bucket::validName($bucket));

        return RedisMeta::of($this->client->script(Scripts::META, $keys->all()));
    }

    public function pauses(): RedisPauses
    {
        return new RedisPauses($this->client);
    }

    /** @return ?int pid of the process that flushes the bucket; 0 when it is on another machine; null when none does */
    public function flushing(string $bucket): ?int
    {
        $key = (new Keys(Bucket::validName($bucket)))->owner;
        $owner = $this->client->command($key, ['GET', $this->client->key($key)]);

        if (! is_string($owner)) {
            return null;
        }

        [, $host, $pid] = [...explode(' ', $owner, 3), '', '', ''];

        return $host === HostName::own() ? (int) $pid : 0;
    }

    /** Whether the last flush failed or is unfinished: of the events in Redis, or of those on this disk. */
    public function isUnfinished(string $bucket): bool
    {
        $flush = RedisSnapshot::take($this->client, new Keys(Bucket::validName($bucket)))->record->flush;

        return $flush->retry !== null || $flush->intent->to !== null || $this->disk->isUnfinished($bucket);
    }

    /** Whether no event waits for delivery. The check is cheap enough for each second. */
    public function isDrained(string $bucket): bool
    {
        return ! $this->has($bucket)
            && (Path::isAbsent($this->disk->layout($bucket)->directory) || $this->disk->isDrained($bucket));
    }
}
