<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

/**
 * A client of one Redis server or of a cluster. A command goes to the server that has the key, and arrives there byte
 * for byte: the serializer, the compression and the prefix of the connection's configuration do not apply to it. Only
 * keys get the prefix, through key().
 *
 * @internal
 */
interface Client
{
    /**
     * Sends EVALSHA, or EVAL when the server does not know the script yet. A script must not return an error inside a
     * list.
     *
     * @param non-empty-list<string> $keys all under one hash tag
     * @param list<string|int> $arguments
     * @return mixed the reply of Redis: integers, strings, null, lists of these
     *
     * @throws RedisFailure
     */
    public function script(string $script, array $keys, array $arguments = []): mixed;

    /**
     * Sends any other command. WAIT and INFO go to the key's master as well. WAIT goes over the connection that wrote
     * last, or fails: another connection has no writes to wait for, and Redis would confirm them at once. The timeout
     * of WAIT must be shorter than the read timeout of the connection.
     *
     * @param string $key selects the server
     * @param non-empty-list<string|int> $command its name first; a key among the arguments has the form that key()
     *     returns
     * @return mixed the same as for script(); a status such as OK is a string
     *
     * @throws RedisFailure
     */
    public function command(string $key, array $command): mixed;

    /**
     * Adds the connection's prefix to a key.
     *
     * @throws RedisFailure when it must connect to know the prefix, and cannot
     */
    public function key(string $key): string;
}
