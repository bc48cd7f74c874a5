<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

use Closure;

/**
 * Answers every command after a lost connection with that failure, so that a Redis that hangs delays a page by one
 * timeout and not by one for each bucket.
 *
 * @internal
 */
final class OneTryClient implements Client
{
    private ?RedisFailure $failure = null;

    public function __construct(private readonly Client $client) {}

    public function script(string $script, array $keys, array $arguments = []): mixed
    {
        return $this->once(fn (): mixed => $this->client->script($script, $keys, $arguments));
    }

    public function command(string $key, array $command): mixed
    {
        return $this->once(fn (): mixed => $this->client->command($key, $command));
    }

    public function key(string $key): string
    {
        return $this->once(fn (): string => $this->client->key($key));
    }

    /**
     * @template TReply
     *
     * @param Closure(): TReply $ask
     * @return TReply
     *
     * @throws RedisFailure
     */
    private function once(Closure $ask): mixed
    {
        if ($this->failure !== null) {
            throw $this->failure;
        }

        try {
            return $ask();
        } catch (RedisFailure $e) {
            // With a kind, Redis has answered with an error, so it does not hang.
            $this->failure = $e->kind === '' ? $e : null;

            throw $e;
        }
    }
}
