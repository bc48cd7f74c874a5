<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Throwable;

/**
 * Stores the heartbeats of nodes, with the number of events that wait on their disks. Neither appends nor deliveries
 * depend on it.
 *
 * @internal
 */
interface Nodes
{
    /**
     * @return bool false when there is no table: heartbeats are optional
     *
     * @throws Throwable the heartbeat cannot be stored
     */
    public function beat(Heartbeat $beat): bool;

    /**
     * @return ?list<NodeStatus> by node, the latest heartbeat first; null when there is no table
     *
     * @throws Throwable
     */
    public function all(): ?array;

    /**
     * @param ?string $machine null: all machines that had its disk
     * @return int number of rows that were removed
     *
     * @throws Throwable
     */
    public function forget(string $node, ?string $machine = null): int;
}
