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
 * The writing end of a bucket in Redis. What Redis does not take goes to this machine's disk, from where a flush brings
 * it back.
 *
 * @internal
 */
final class RedisWriter implements Writer
{
    /** Redis that does not answer is asked again after this long; until then no request waits for it. */
    public const REST_SECONDS = 5;

    /** What a frame on disk can take. */
    private const MOST_BYTES = 8_388_607;

    private ?Writer $disk = null;

    private ?Client $client = null;

    private readonly Keys $keys;

    private readonly CircuitBreakerFile $mark;

    private readonly LastStreamEntry $sight;

    private bool $keeping = false;

    /** @var ?Closure(): void */
    private ?Closure $whenKept = null;

    /**
     * @param string $bucket a valid name
     * @param Closure(): Client $connect
     * @param Closure(): Writer $openDisk
     * @param ?Closure(UnableToAppend, int): void $diverted is told what went to the disk, and why
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
        $this->sight = new LastStreamEntry($config->path, Permissions::of($config), $bucket);
        $this->mark = new CircuitBreakerFile($config, $clock, self::REST_SECONDS);
    }

    public function append(string $payload, int $count): void
    {
        if ($this->mark->isSet()) {
            $this->toDisk($payload, $count, UnableToAppend::redisSuspended($this->bucket, self::REST_SECONDS), '');

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

        $this->mark->answered();
        $this->took(is_array($answer) ? array_values($answer) : [], $client);

        $confirmed = $this->config->redis()->wait === 0 ? null : $this->confirmed($client);

        // From here on Redis has it, and every other place it goes to has to know.
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

    public function keep(?Closure $whenKept = null): void
    {
        $this->keeping = true;
        $this->whenKept = $whenKept;
        $this->disk?->keep($whenKept);
    }

    public function release(): void
    {
        $this->keeping = false;
        $this->whenKept = null;
        $this->disk?->release();
    }

    /**
     * Should Redis forget it, this machine can tell.
     *
     * @param list<mixed> $answer
     */
    private function took(array $answer, Client $client): void
    {
        [$id, $isNew, $node, $server, $total] = $answer + ['', 0, '', '', 0];

        if ($isNew === 1) {
            $this->enter($client);
        }

        if (is_string($id) && is_string($node) && is_string($server) && is_int($total) && $id !== '') {
            $this->sight->saw($node, $server, $total, $id);
        }
    }

    /** Into the list of buckets. Where it fails, the first claim does it. */
    private function enter(Client $client): void
    {
        try {
            $client->command(Keys::BUCKETS, ['SADD', $client->key(Keys::BUCKETS), $this->bucket]);
        } catch (RedisFailure) {
            return;
        }
    }

    /** Replicas that have what was just appended; none where that can not be known. */
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

        // No answer is what a request would have to wait for. Not before: the directory may be new.
        $e->kind === '' ? $this->mark->set() : $this->mark->answered();
    }

    /**
     * @param int<1, 65535> $count
     * @param string $token "" unless Redis may have it
     */
    private function toDisk(string $payload, int $count, UnableToAppend $why, string $token): void
    {
        try {
            if ($token !== '') {
                $payload = UnconfirmedAppend::mark($token, $payload);

                if (strlen($payload) > self::MOST_BYTES) {
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

            if ($this->keeping) {
                $this->disk->keep($this->whenKept);
            }
        }

        return $this->disk;
    }
}
