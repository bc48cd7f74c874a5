<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits\Sockets;

/**
 * The other end of a connection.
 *
 * @internal
 */
final readonly class Peer
{
    /**
     * @param string $address "10.0.0.5:6379", "[::1]:6379" or "unix:/run/redis.sock"
     * @param ?string $service the name that the caller gave, or the listening program of this machine; never derived
     *     from a port number
     */
    public function __construct(public string $address, public ?string $service = null) {}

    public function text(): string
    {
        return $this->address.($this->service === null ? '' : " ({$this->service})");
    }
}
