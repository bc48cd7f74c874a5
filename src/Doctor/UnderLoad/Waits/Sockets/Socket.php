<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits\Sockets;

/**
 * A socket as the tables of its network show it.
 *
 * @internal
 */
final readonly class Socket
{
    /**
     * @param string $remote "10.0.0.5:6379", or "unix:/path"; '' where it is not told
     * @param int $remotePort 0 of a Unix socket
     * @param bool $isAccepted a client opened it to the process, or to the parent that the process has it from
     * @param bool $isOpening its answer to the first packet is not here yet
     * @param bool $hasUnsent bytes that the other end has not taken; never told of a Unix socket
     * @param ?int $listener inode of the socket that listens at its other end, when that is in the same network
     */
    public function __construct(
        public bool $isUnix,
        public string $remote,
        public int $remotePort = 0,
        public bool $listens = false,
        public bool $isAccepted = false,
        public bool $isOpening = false,
        public bool $hasUnsent = false,
        public ?int $listener = null,
    ) {}
}
