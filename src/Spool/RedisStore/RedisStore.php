<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

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
    /** @param ?Closure(string): ?Position $deliveredFromDisk as FallbackDrain has it */
    public function __construct(
        public Client $client,
        private FileStore $disk,
        private SpoolConfig $config,
        private Clock $clock,
        private ?FaultPoint $checkpoint = null,
        private ?Closure $deliveredFromDisk = null,
    ) {}

    public function claim(string $bucket): ?RedisLease
    {
        $keys = new Keys(Bucket::validName($bucket));
        $notes = $this->notes($bucket);
        // Whoever owns the bucket: each machine brings back its own.
        $drain = new FallbackDrain(
            $this->client,
            $keys,
            $this->disk,
            $bucket,
            $this->clock,
            $this->checkpoint,
            $this->deliveredFromDisk,
            $this->config->redis()->wait,
            $this->config->redis()->waitMillis,
            $notes->ofOwner(),
        );
        $obstacle = $drain->run();
        $token = Ownership::name();
        [$isOwner, $node] = $this->own($keys, $token);

        if ($isOwner !== 1 || ! is_string($node)) {
            $this->noteFirst($notes);

            return $obstacle === null ? null : throw $obstacle;
        }

        $this->enter($bucket);
        $this->checkpoint?->reached('redis.claimed');
        $owner = new Ownership($this->client, $keys, $bucket, $token, $this->config->redis()->takeover * 1000);

        return new RedisLease(
            new Source($node, $bucket),
            $owner,
            $this->disk,
            $notes,
            $this->clock,
            $drain->losses,
            $obstacle,
            $this->checkpoint,
        );
    }

    /** @return array{mixed, mixed} 1 and the stream's node, or 0 and who owns it */
    private function own(Keys $keys, string $token, bool $isAgain = false): array
    {
        $answer = $this->client->script(Scripts::CLAIM, $keys->all(), [
            $token, $this->config->redis()->takeover * 1000, bin2hex(random_bytes(16)),
        ]);
        [$isOwner, $found] = is_array($answer) ? [...array_values($answer), 0, ''] : [0, ''];

        if ($isOwner === 1 || $isAgain || ! is_string($found) || ! Ownership::isGone($found)) {
            return [$isOwner, $found];
        }

        // It would keep the bucket until the others may take over.
        $this->client->script(Scripts::RELEASE, $keys->all(), [$found]);

        return $this->own($keys, $token, true);
    }

    /** That this machine has a part in it is known though it never owns the bucket. */
    private function noteFirst(DrainCheckpoints $notes): void
    {
        try {
            if ($notes->all() === []) {
                $notes->update($this->client, $this->disk, $this->clock);
            }
        } catch (HeadroomException) {
            // What is wrong is for the owner to tell.
        }
    }

    /** @return ?Progress how far a machine's disk was brought into Redis; null where nothing is known of it */
    public function drainedTo(string $bucket, string $node): ?Progress
    {
        return DrainCursor::read($this->client, new Keys(Bucket::validName($bucket)), $node);
    }

    /** A machine's disk goes on under another id from there. */
    public function beginAt(string $bucket, string $node, Progress $progress): void
    {
        $place = DrainCursor::encode($progress);
        $this->client->script(Scripts::DRAIN, (new Keys(Bucket::validName($bucket)))->all(), [
            bin2hex(random_bytes(16)), $node, $place, $place,
        ]);
    }

    /** Redis was given this disk's log as it went another way. */
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

    public function notes(string $bucket): DrainCheckpoints
    {
        return new DrainCheckpoints($this->disk->root, $this->disk->permissions, $bucket);
    }

    /** Into the list of buckets, which may be on another node of a cluster, and is no reason not to deliver. */
    private function enter(string $bucket): void
    {
        try {
            $this->client->command(Keys::BUCKETS, ['SADD', $this->client->key(Keys::BUCKETS), $bucket]);
        } catch (RedisFailure) {
            return;
        }
    }

    public function isUntouched(string $bucket): bool
    {
        return $this->meta($bucket)->node === '' && $this->notes($bucket)->all() === [];
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
     * A machine that is gone: how far its disk was brought here is kept no longer.
     *
     * @return int<0, max> buckets of which that was known
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
            $this->notes($bucket)->remove();
        }

        return $outcome;
    }

    /** Events wait there. */
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

    /** @return ?int its pid; 0 when it is not on this machine; null when nobody is flushing */
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

    /** The last flush failed, or is under way: of what is in Redis, or of what waits on this disk. */
    public function isBegun(string $bucket): bool
    {
        $flush = RedisSnapshot::take($this->client, new Keys(Bucket::validName($bucket)))->record->flush;

        return $flush->trouble !== null || $flush->intent->to !== null || $this->disk->isBegun($bucket);
    }

    /** Nothing lies there to be delivered: a look that is cheap enough for each second. */
    public function isDrained(string $bucket): bool
    {
        return ! $this->has($bucket)
            && (Path::isAbsent($this->disk->layout($bucket)->directory) || $this->disk->isDrained($bucket));
    }
}
