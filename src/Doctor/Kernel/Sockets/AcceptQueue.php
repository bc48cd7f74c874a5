<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Sockets;

/**
 * The connections of one listening socket that wait to be accepted.
 *
 * @internal
 */
final readonly class AcceptQueue
{
    /**
     * @param string $local path of a unix socket, or address:port
     * @param ?int $limit the smaller of the program's backlog and net.core.somaxconn at the time of listen(); Linux
     *     accepts one more. Null if only /proc/net/tcp was readable, which lacks it
     */
    public function __construct(
        public string $local,
        public int $waiting,
        public ?int $limit,
        public string $source,
    ) {}

    public function isFull(): ?bool
    {
        return $this->limit === null ? null : $this->waiting > $this->limit;
    }
}
