<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

/**
 * A connection to one Redis server or to a cluster. What is sent goes to the server that has the key, and arrives there
 * byte for byte, whatever serializer, compression or prefix the connection is configured with; the prefix is put before
 * keys as the connection says.
 *
 * @internal
 */
interface Client
{
    /**
     * EVALSHA, or EVAL where the server does not know the script yet. A script returns no error inside of a list.
     *
     * @param non-empty-list<string> $keys all under one hash tag
     * @param list<string|int> $arguments
     * @return mixed as Redis answers: integers, strings, null, lists of these
     *
     * @throws RedisFailure
     */
    public function script(string $script, array $keys, array $arguments = []): mixed;

    /**
     * Any other command. WAIT and INFO go to the key's master as well. WAIT goes over the connection that wrote
     * last, or fails: another connection has no writes to wait for, and Redis would confirm them at once. It must wait for
     * less time than the connection's read timeout.
     *
     * @param string $key decides the server
     * @param non-empty-list<string|int> $command its name first; where the key is an argument, it is among them as Client::key() gives it
     * @return mixed as for script(); a status such as OK is a string
     *
     * @throws RedisFailure
     */
    public function command(string $key, array $command): mixed;

    /**
     * A key with the connection's prefix.
     *
     * @throws RedisFailure where it must connect to know it
     */
    public function key(string $key): string;
}
