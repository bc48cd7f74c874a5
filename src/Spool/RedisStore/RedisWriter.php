<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\RedisStore\Client\CircuitBreakerFile;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Spool\RedisStore\Fallback\LastStreamEntry;
use Headroom\Spool\RedisStore\Fallback\UnconfirmedAppend;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Store\Writer;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\InvalidConfig;

/**
 * Appends events to a bucket in Redis. Events that Redis does not take go to this machine's disk, and a flush drains
 * them into Redis later.
 *
 * @internal
 */
final class RedisWriter implements Writer
{
    /** When Redis has not answered, it is asked again after this time. Until then no request waits for it. */
    public const RETRY_SECONDS = 5;

    /** The largest payload of a frame on disk, less the space that makes its size even. */
    private const MAX_PAYLOAD_BYTES = 8_388_607;

    private ?Writer $disk = null;

    private ?Client $client = null;

    private readonly Keys $keys;

    private readonly CircuitBreakerFile $circuitBreaker;

    private readonly LastStreamEntry $lastEntry;

    private bool $keepsOpen = false;

    /** @var ?Closure(): void */
    private ?Closure $whenOpened = null;

    /**
     * @param string $bucket a valid name
     * @param Closure(): Client $connect
     * @param Closure(): Writer $openDisk
     * @param ?Closure(UnableToAppend, int): void $diverted gets the reason and the number of events that went to the
     *     disk
     */
    public function __construct(
        private readonly SpoolConfig $config,
        private readonly string $bucket,
        private readonly Closure $connect,
        private readonly Closure $openDisk,
        private readonly ?Closure $diverted = null,
        private readonly Clock $clock = new SystemClock,
    ) {
        $this->keys = new Keys($bucket);
        $this->lastEntry = new LastStreamEntry($config->path, Permissions::of($config), $bucket);
        $this->circuitBreaker = new CircuitBreakerFile($config, $clock, self::RETRY_SECONDS);
    }

    public function append(string $payload, int $count): void
    {
        if ($this->circuitBreaker->isSet()) {
            $this->toDisk($payload, $count, UnableToAppend::redisSuspended($this->bucket, self::RETRY_SECONDS), '');

            return;
        }

        $token = random_bytes(12);

        try {
            $client = $this->client ??= ($this->connect)();
            $answer = $client->script(Scripts::APPEND, $this->keys->ofAppend(), [
                $token, $payload, $count, $this->clock->micros(), bin2hex(random_bytes(16)),
            ]);
        } catch (RedisFailure|InvalidConfig $e) {
            $this->client = null;
            $this->refusedBy(
                $e instanceof RedisFailure ? $e : RedisFailure::refused("CONFIG {$e->getMessage()}", $e),
                $token,
                $payload,
                $count,
            );

            return;
        }

        $this->circuitBreaker->answered();
        $this->saveEntry(is_array($answer) ? array_values($answer) : [], $client);

        $confirmed = $this->config->redis()->wait === 0 ? null : $this->confirmed($client);

        // Redis has the events by now. The copy on disk keeps their token, so that the drain finds them in Redis.
        if ($confirmed !== null && $confirmed < $this->config->redis()->wait) {
            $this->toDisk(
                $payload,
                $count,
                UnableToAppend::notReplicated(
                    $this->bucket,
                    $confirmed,
                    $this->config->redis()->wait,
                    $this->config->redis()->waitMillis,
                ),
                $token,
            );
        }
    }

    public function keepSegmentOpen(?Closure $whenOpened = null): void
    {
        $this->keepsOpen = true;
        $this->whenOpened = $whenOpened;
        $this->disk?->keepSegmentOpen($whenOpened);
    }

    public function closeSegment(): void
    {
        $this->keepsOpen = false;
        $this->whenOpened = null;
        $this->disk?->closeSegment();
    }

    /**
     * Stores the entry's id on this machine, so that the machine can report the entry if Redis forgets it.
     *
     * @param list<mixed> $answer
     */
    private function saveEntry(array $answer, Client $client): void
    {
        [$id, $isNew, $node, $server, $total] = $answer + ['', 0, '', '', 0];

        if ($isNew === 1) {
            $this->register($client);
        }

        if (is_string($id) && is_string($node) && is_string($server) && is_int($total) && $id !== '') {
            $this->lastEntry->save($node, $server, $total, $id);
        }
    }

    /** Adds the bucket to the list of buckets. After a failure the first claim does it. */
    private function register(Client $client): void
    {
        try {
            $client->command(Keys::BUCKETS, ['SADD', $client->key(Keys::BUCKETS), $this->bucket]);
        } catch (RedisFailure) {
            return;
        }
    }

    /** @return int number of replicas that have confirmed the append; 0 when it is unknown */
    private function confirmed(Client $client): int
    {
        try {
            $confirmed = $client->command(
                $this->keys->log,
                ['WAIT', $this->config->redis()->wait, $this->config->redis()->waitMillis],
            );

            return is_int($confirmed) ? $confirmed : 0;
        } catch (RedisFailure) {
            $this->client = null;

            return 0;
        }
    }

    /** @param int<1, 65535> $count */
    private function refusedBy(RedisFailure $e, string $token, string $payload, int $count): void
    {
        $this->toDisk($payload, $count, UnableToAppend::redis($this->bucket, $e), $e->mayHaveRun ? $token : '');

        // The circuit breaker is for missing replies, because only these make the next requests wait. It is set after
        // the append to disk, which may have to create the directory of its file.
        $e->kind === '' ? $this->circuitBreaker->set() : $this->circuitBreaker->answered();
    }

    /**
     * @param int<1, 65535> $count
     * @param string $token empty unless Redis may have the events
     */
    private function toDisk(string $payload, int $count, UnableToAppend $why, string $token): void
    {
        try {
            if ($token !== '') {
                $payload = UnconfirmedAppend::mark($token, $payload);

                if (strlen($payload) > self::MAX_PAYLOAD_BYTES) {
                    throw $why;
                }
            }

            $this->disk()->append($payload, $count);
        } catch (UnableToAppend $e) {
            throw $token === '' ? $e : UnableToAppend::maybeInRedis($e);
        }

        if ($this->diverted !== null) {
            ($this->diverted)($why, $count);
        }
    }

    private function disk(): Writer
    {
        if ($this->disk === null) {
            $this->disk = ($this->openDisk)();

            if ($this->keepsOpen) {
                $this->disk->keepSegmentOpen($this->whenOpened);
            }
        }

        return $this->disk;
    }
}
