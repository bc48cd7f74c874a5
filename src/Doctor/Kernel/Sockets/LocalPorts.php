<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Sockets;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Kernel\UnreadableKernel;

/**
 * The ports for outgoing connections, and the destination that uses most of them. They are those of the network
 * namespace of this process.
 *
 * @internal
 */
final readonly class LocalPorts
{
    public const RANGE = 'net.ipv4.ip_local_port_range';

    public const REUSE = 'net.ipv4.tcp_tw_reuse';

    /**
     * @param int $reuse 0: a closed connection keeps its port; 1: a new one can reuse it after a second; 2: on
     * loopback only
     * @param ?Destination $busiest null without a connection
     */
    public function __construct(
        public int $first,
        public int $last,
        public int $reuse,
        public ?Destination $busiest,
        public string $source,
    ) {}

    /** @throws FactUnavailable */
    public static function read(KernelFiles $files = new KernelFiles): self
    {
        $sysctl = new Sysctl($files);
        $table = TcpTable::read(files: $files);

        if (preg_match('/\A(\d{1,5})\s+(\d{1,5})\z/', $sysctl->text(self::RANGE), $m) !== 1) {
            throw UnreadableKernel::noField(Sysctl::path(self::RANGE), 'range');
        }

        return new self(
            (int) $m[1],
            (int) $m[2],
            $sysctl->integer(self::REUSE),
            $table->busiest((int) $m[1], (int) $m[2]),
            $table->source,
        );
    }

    /** @return list<?Evidence> */
    public function evidence(): array
    {
        return [
            new Evidence(self::RANGE, "{$this->first} {$this->last}", Sysctl::path(self::RANGE)),
            new Evidence(self::REUSE, (string) $this->reuse, Sysctl::path(self::REUSE)),
            $this->busiest === null ? null : new Evidence(
                "connections to {$this->busiest->name()}",
                "{$this->busiest->open} open, {$this->busiest->timeWait} in TIME-WAIT",
                $this->source,
            ),
        ];
    }

    public function count(): int
    {
        return max(1, $this->last - $this->first + 1);
    }

    /** Ports that a new connection to this address cannot have. */
    public function taken(Destination $to): int
    {
        $isReused = $this->reuse === 1 || ($this->reuse === 2 && $to->isLoopback());

        return $to->open + ($isReused ? 0 : $to->timeWait);
    }
}
