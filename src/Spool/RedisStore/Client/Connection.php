<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

/**
 * An open connection to one server, or to the nodes of a cluster. It never reconnects by itself, because WAIT confirms
 * only the writes of its own connection.
 *
 * @internal
 */
interface Connection
{
    /**
     * After a failure without a reply (an empty kind) the caller must close the connection: the reply may still come,
     * and the next command would get it.
     *
     * @param string $key without prefix; selects the node of a cluster
     * @param non-empty-list<string|int> $command sent unchanged, so its keys must have their prefix
     * @return mixed the reply of Redis: integers, strings, null, lists of these
     *
     * @throws RedisFailure
     */
    public function send(string $key, array $command): mixed;

    public function prefix(): string;

    public function close(): void;
}
