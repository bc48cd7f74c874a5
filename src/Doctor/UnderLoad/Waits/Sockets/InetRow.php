<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits\Sockets;

/**
 * A socket of TCP or UDP.
 *
 * @internal
 */
final readonly class InetRow
{
    /**
     * @param string $local without brackets and port
     * @param int $remotePort 0 for a listening socket
     */
    public function __construct(
        public bool $isTcp,
        public int $inode,
        public string $local,
        public int $localPort,
        public string $remote,
        public int $remotePort,
        public bool $listens,
        public bool $isOpening,
        public bool $hasUnsent,
    ) {}
}
