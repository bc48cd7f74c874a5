<?php

declare(strict_types=1);

namespace Headroom\Spool\Services;

use Headroom\Sink\Source;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\DeadLetters\DeadLetterQueue;
use Headroom\Spool\DeadLetters\FileDeadLetterQueue;
use Headroom\Spool\DeadLetters\RedisDeadLetterQueue;
use Headroom\Spool\Delivery\LedgerReader;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Monitoring\EventViewer;
use Headroom\Spool\Monitoring\FilePeek;
use Headroom\Spool\Monitoring\RedisPeek;
use Headroom\Spool\Monitoring\Verify\BucketVerifier;
use Headroom\Spool\Monitoring\Verify\RedisVerifier;
use Headroom\Spool\Monitoring\Verify\Verifier;
use Headroom\Spool\RedisStore\RedisStore;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\InvalidConfig;
use Headroom\Support\Path;

/**
 * The tools of the commands for one bucket, on disk or in Redis. For a bucket in Redis they include the events that
 * this disk still has.
 *
 * @internal
 */
final readonly class BucketTools
{
    private ?RedisStore $redis;

    /**
     * @throws InvalidConfig
     * @throws UnableToFlush
     */
    public function __construct(private SpoolServices $spool, private string $bucket)
    {
        $this->redis = $spool->stores()->redis($bucket);
    }

    public function ledger(): LedgerReader
    {
        $node = $this->redis === null ? $this->spool->store()->node() : $this->redis->meta($this->bucket)->node;

        return new LedgerReader($this->spool->sinks(), $this->declared(), new Source($node, $this->bucket));
    }

    public function peek(): EventViewer
    {
        $codec = new Codec($this->declared()?->utf8);

        if ($this->redis !== null && $this->isOffDisk()) {
            return new RedisPeek($this->redis, $this->bucket, $codec, null);
        }

        $store = $this->spool->store();
        $disk = new FilePeek(
            $store->layout($this->bucket),
            $store->permissions,
            $this->spool->clock(),
            $codec,
            new Source($store->node(), $this->bucket),
        );

        return $this->redis === null ? $disk : new RedisPeek($this->redis, $this->bucket, $codec, $disk);
    }

    public function letters(): DeadLetterQueue
    {
        $disk = new FileDeadLetterQueue($this->spool->store(), $this->bucket, $this->spool->clock());

        return $this->redis === null
            ? $disk
            : new RedisDeadLetterQueue(
                $this->redis,
                $this->bucket,
                $this->spool->clock(),
                $this->isOffDisk() ? null : $disk,
            );
    }

    public function verifier(): BucketVerifier
    {
        $store = $this->spool->store();
        $disk = new Verifier($store, $this->spool->clock());

        if ($this->redis === null) {
            return $disk;
        }

        $none = new LedgerReader($this->spool->sinks(), null, new Source('', $this->bucket));

        return new RedisVerifier($this->redis, $store, $disk, $none, $this->spool->clock());
    }

    private function declared(): ?BucketConfig
    {
        return $this->spool->config()->bucket($this->bucket);
    }

    private function isOffDisk(): bool
    {
        return Path::isAbsent($this->spool->store()->layout($this->bucket)->directory);
    }
}
