<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Sockets;

/**
 * One address and port that this machine connects to.
 *
 * @internal
 */
final readonly class Destination
{
    /**
     * @param int $open connections that are not closed
     * @param int $timeWait closed ones, which keep their local port for 60 seconds
     */
    public function __construct(public string $address, public int $port, public int $open, public int $timeWait) {}

    public function isLoopback(): bool
    {
        return str_starts_with($this->address, '127.') || $this->address === '::1';
    }

    public function name(): string
    {
        return (str_contains($this->address, ':') ? "[{$this->address}]" : $this->address).":{$this->port}";
    }
}
