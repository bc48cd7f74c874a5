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
    /** A set of the names of all buckets that were ever written to. It has a hash tag of its own. */
    public const BUCKETS = '{spool}:buckets';

    /** A stream. */
    public string $log;

    /** A hash. */
    public string $meta;

    /** A string that expires. */
    public string $owner;

    /** A hash with a field for each dead letter. */
    public string $dead;

    /** A set of the tokens of the latest appends. */
    public string $tokens;

    /** A set of the tokens before those. */
    public string $oldTokens;

    /** A hash with the state that the last flusher saved. */
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

    /** @return non-empty-list<string> KEYS of all scripts but APPEND */
    public function all(): array
    {
        return [$this->log, $this->meta, $this->tokens, $this->oldTokens, $this->state, $this->owner, $this->dead];
    }

    /** @return non-empty-list<string> KEYS of APPEND */
    public function ofAppend(): array
    {
        return [$this->log, $this->meta, $this->tokens, $this->oldTokens];
    }
}
