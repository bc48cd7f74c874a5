<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * How many sockets one worker may have, and has: those of its clients, and those of its handlers' calls.
 *
 * @internal
 */
final class Descriptors
{
    public int $clients = 0;

    public int $calls = 0;

    public function __construct(public readonly int $cap) {}

    /** @param int $more beyond the cap */
    public function hasRoom(int $more = 0): bool
    {
        return $this->clients + $this->calls < $this->cap + $more;
    }

    /** With hysteresis: not for every one that leaves. */
    public function hasRoomAgain(): bool
    {
        return $this->clients + $this->calls < $this->cap - max(1, intdiv($this->cap, 20));
    }
}
