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
     * @param string $remote "10.0.0.5:6379", or "unix:/path"; '' if unknown
     * @param int $remotePort 0 for a Unix socket
     * @param bool $isAccepted whether the process, or its parent, accepted the connection
     * @param bool $isOpening whether the handshake is incomplete
     * @param bool $hasUnsent whether the peer has not received all bytes; always false for a Unix socket
     * @param ?int $listener inode of the listening socket at the other end, if it is in the same network namespace
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
