<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * The file descriptors of one worker: how many it may use, and how many its clients and the outbound connections of its
 * handlers use.
 *
 * @internal
 */
final class FileDescriptorBudget
{
    public int $clients = 0;

    /** With those that are kept open for the next request. */
    public int $outboundConnections = 0;

    /** Outbound requests that wait for a descriptor. */
    public int $waiting = 0;

    public function __construct(public readonly int $cap) {}

    /** @param int $more beyond the cap */
    public function hasRoom(int $more = 0): bool
    {
        return $this->clients + $this->outboundConnections + $this->waiting < $this->cap + $more;
    }

    /**
     * Reserves a few descriptors for outbound requests: clients that all wait for one could otherwise use all of them.
     */
    public function hasRoomForOutboundConnection(): bool
    {
        return $this->clients + $this->outboundConnections < $this->cap
            || $this->outboundConnections < max(1, intdiv($this->cap, 16));
    }

    /** With hysteresis, so that accepting does not resume for each connection that ends. */
    public function hasRoomAgain(): bool
    {
        return $this->clients + $this->outboundConnections + $this->waiting
            < $this->cap - max(1, intdiv($this->cap, 20));
    }
}
