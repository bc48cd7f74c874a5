<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Throwable;

/**
 * Where nodes tell that they live, and how much waits on their disks. Nothing is delivered or
 * accepted by what stands there.
 *
 * @internal
 */
interface Nodes
{
    /**
     * @return bool false when there is nowhere to tell it: heartbeats are optional
     *
     * @throws Throwable it could not be told
     */
    public function beat(Heartbeat $beat): bool;

    /**
     * @return ?list<NodeStatus> by node, the one seen last first; null when there is nowhere to look
     *
     * @throws Throwable
     */
    public function all(): ?array;

    /**
     * @param ?string $machine null for all that had its disk
     * @return int how many rows were removed
     *
     * @throws Throwable
     */
    public function forget(string $node, ?string $machine = null): int;
}
