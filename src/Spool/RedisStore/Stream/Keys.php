<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

/**
 * The keys of one bucket, all under one hash tag, so that a script may use them together on a cluster: docs/redis.md.
 *
 * @internal
 */
final readonly class Keys
{
    /** Names of all buckets that were ever written to, under a tag of its own. */
    public const BUCKETS = '{spool}:buckets';

    /** A stream. */
    public string $log;

    /** A hash. */
    public string $meta;

    /** A string that expires. */
    public string $owner;

    /** A hash, a field per letter. */
    public string $dead;

    /** Two sets: tokens of the latest appends, and of those before. */
    public string $tokens;

    public string $oldTokens;

    /** A hash: what the last flusher left. */
    public string $state;

    /** @param string $bucket a valid name */
    public function __construct(string $bucket)
    {
        $tag = "{spool:{$bucket}}";
        $this->log = "{$tag}:log";
        $this->meta = "{$tag}:meta";
        $this->state = "{$tag}:state";
        $this->owner = "{$tag}:owner";
        $this->dead = "{$tag}:dead";
        $this->tokens = "{$tag}:tokens";
        $this->oldTokens = "{$tag}:tokens-old";
    }

    /** @return non-empty-list<string> as every script but that of an append has them */
    public function all(): array
    {
        return [$this->log, $this->meta, $this->tokens, $this->oldTokens, $this->state, $this->owner, $this->dead];
    }

    /** @return non-empty-list<string> */
    public function ofAppend(): array
    {
        return [$this->log, $this->meta, $this->tokens, $this->oldTokens];
    }
}
