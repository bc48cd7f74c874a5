<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * How many sockets one worker may have, and has: those of its clients, and those of its handlers' calls.
 *
 * @internal
 */
final class FileDescriptorBudget
{
    public int $clients = 0;

    public int $calls = 0;

    /** Calls that wait for one. */
    public int $waiting = 0;

    public function __construct(public readonly int $cap) {}

    /** @param int $more beyond the cap */
    public function hasRoom(int $more = 0): bool
    {
        return $this->clients + $this->calls + $this->waiting < $this->cap + $more;
    }

    /** A few beyond the cap are for calls alone: clients that all wait for one would leave none. */
    public function hasRoomForCall(): bool
    {
        return $this->clients + $this->calls < $this->cap || $this->calls < max(1, intdiv($this->cap, 16));
    }

    /** With hysteresis: not for every one that leaves. */
    public function hasRoomAgain(): bool
    {
        return $this->clients + $this->calls + $this->waiting < $this->cap - max(1, intdiv($this->cap, 20));
    }
}
