<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

/**
 * An open connection to one server, or to the nodes of a cluster. It never connects again by itself: what WAIT tells is
 * about this connection.
 *
 * @internal
 */
interface Connection
{
    /**
     * After a failure without a reply (an empty kind) it must be closed: the reply may still come.
     *
     * @param string $key without prefix; decides the node of a cluster
     * @param non-empty-list<string|int> $command sent as it is, keys with their prefix
     * @return mixed as Redis answers: integers, strings, null, lists of these
     *
     * @throws RedisFailure
     */
    public function send(string $key, array $command): mixed;

    public function prefix(): string;

    public function close(): void;
}
